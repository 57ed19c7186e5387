// The floor: the least that an agent can be. A loop on plain fetch with one tool; no retries, no limits, no safety, no history file.
// With a third argument it forgets the oldest exchanges of a request that has more characters than that, and knows nothing of them.
import { readFile } from 'node:fs/promises';

const [baseUrl, prompt, most = Infinity] = process.argv.slice(2);
const tools = [{ type: 'function', function: { name: 'read_file', description: 'Reads a file.', parameters: { type: 'object', properties: { path: { type: 'string' } } } } }];
const messages = [
  { role: 'system', content: 'You are a coding agent.' },
  { role: 'user', content: prompt },
];
const sizeOf = (message) => JSON.stringify(message).length;
let size = 0;
for (;;) {
  while (size > most && messages.length > 4) for (const gone of messages.splice(2, 2)) size -= sizeOf(gone);
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
    body: JSON.stringify({ model: 'm', messages, tools }),
  });
  const { choices } = await response.json();
  const { message } = choices[0];
  messages.push(message);
  size += sizeOf(message);
  if (message.tool_calls === undefined) {
    console.log(message.content);
    break;
  }
  for (const call of message.tool_calls) {
    const content = await readFile(JSON.parse(call.function.arguments).path, 'utf8');
    messages.push({ role: 'tool', tool_call_id: call.id, content });
    size += sizeOf(messages.at(-1));
  }
}
