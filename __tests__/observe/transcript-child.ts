// A process of its own that writes a transcript: `killed` ends in the middle of it, `full` may write no more than its limit of file size.
import { openTranscript } from '../../src/observe/transcript.ts';
import { systemClock } from '../../src/schema/system-clock.ts';

const [manner, file = ''] = process.argv.slice(2);
// Without a listener the limit kills.
process.on('SIGXFSZ', () => {});

const log: string[] = [];
const transcript = openTranscript({ file, redact: (text) => text, clock: systemClock, log: (line) => log.push(line) });
transcript.header({ manner });
for (let turn = 1; turn <= 100; turn += 1) {
  if (manner === 'killed' && turn === 50) process.kill(process.pid, 'SIGKILL');
  transcript.onEvent({ type: 'tool_start', turn, data: { id: `c${turn}`, name: 'look', arguments: 'x'.repeat(200) } });
}
process.stdout.write(JSON.stringify({ log, end: await transcript.close() }));
