// What --help says. Text only.

export const usage = `harness9 [options] [prompt]       run one task in this folder and print the answer
harness9 sessions [command]       the conversations that were kept

  -p, --print                one shot: print the answer and end; nobody is asked
  --output-format <format>   text (default), json: one object at the end, stream-json: one line an event
  --resume [id]              go on with that conversation, or with this folder's newest
  --continue                 go on with this folder's newest conversation, or begin one
  --no-session               keep nothing of this run
  --plan                     make a plan, change nothing (--mode plan)
  --mode <mode>              default, plan, auto_edit (edits are confirmed), accept_edits (commands are confirmed)
  --provider <name>          openai, anthropic or scripted (default: from the model's name or the key that is there)
  --model <name>             the model; takes provider/model; for scripted the path of a JSON file with the turns
  --fallback-models <list>   models that take over when the one before cannot serve, in this order
  --reasoning-effort <level> how hard the model thinks: none, minimal, low, medium, high, xhigh, max
  --max-turns <n>            model calls, 0 = no limit (default 50)
  --max-tokens-total <n>     tokens of all calls together, input and output
  --max-cost-usd <n>         US dollars of all calls together, by the prices that come with this version
  --sandbox <level>          auto (default), process, readonly or none
  --allowed-tools <list>     only these tools, bash(npm test:*) for commands; may be given several times
  --disallowed-tools <list>  not these; may be given several times
  --permission-rules <rules> allow, deny or ask, one rule a line; may be given several times
  --hooks <config>           commands around calls, turns and the end of a run
  --mcp-config <config>      MCP servers, whose tools the agent gets
  --verify-command <line>    run when the agent is done; a failure goes back to it
  --verify-attempts <n>      how often (default 2)
  --otel-endpoint <url>      send traces there by OTLP/HTTP
  --otel-content             with prompts, answers, arguments and results in them
  --output-schema <schema>   a JSON Schema that the answer must fit: the answer is then JSON, and nothing else
  --transcript <file>        write the run to a new file, one JSON value a line
  --allow-insecure-endpoint  plain http to a model beyond this machine
  --cwd <folder>             work there instead of here
  -h, --help, --version

Piped input is the prompt, or material for the prompt that is given. A prompt that begins with a dash stands after --.
Rules, hooks, servers and the schema are text, or a file when they begin with ./, ../ or /. They come from these flags only: nothing of a
folder is run because it lies there. Paths are relative to the folder that is worked in.
What a mode or a rule asks about is asked when you are there: on a terminal, without -p, as text. Else it is denied.

  sessions [list]            this folder's conversations; --all: every folder's; --tag <tag>: those that have it
  sessions show <id>         a conversation, readable
  sessions search <words>    where the words were said; --all: in every folder
  sessions tag <id> [tag…]   set its tags; none takes them off
  sessions pop <id>          take the last exchange back, as far as your last message
  sessions clear <id>        forget what was said, keep the conversation
  sessions delete <id>
  They take --cwd and --output-format text|json, too. Of an id the first four characters are enough.
  They are kept in ~/.harness9/sessions.db.

Keys and endpoints come from the environment (OPENAI_API_KEY, OPENAI_BASE_URL, ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL), then from this
folder's .env as long as git does not track it.
Exit codes: 0 completed, 1 error, 2 usage, 3 a limit ended it, 130 interrupted.
`;
