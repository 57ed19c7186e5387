// What --help says. Text only.

export const usage = `harness9 [options] [prompt]       run one task in this folder and print the answer
harness9 sessions [command]       the conversations that were kept

  -p, --print                one shot: print the answer and end
  --output-format <format>   text (default), json: one object at the end, stream-json: one line an event
  --resume [id]              go on with that conversation, or with this folder's newest
  --continue                 go on with this folder's newest conversation, or begin one
  --no-session               keep nothing of this run
  --plan                     make a plan, change nothing (--mode plan)
  --mode <mode>              default, plan, auto_edit (edits are confirmed), accept_edits (commands are confirmed);
                             in one shot nobody confirms, and what would be asked is denied
  --provider <name>          openai, anthropic or scripted (default: from the model's name or the key that is there)
  --model <name>             the model; takes provider/model; for scripted the path of a JSON file with the turns
  --max-turns <n>            model calls, 0 = no limit (default 50)
  --sandbox <level>          auto (default), process, readonly or none
  --allow-insecure-endpoint  plain http to a model beyond this machine
  --cwd <folder>             work there instead of here
  -h, --help, --version

Piped input is the prompt, or material for the prompt that is given. A prompt that begins with a dash stands after --.

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
