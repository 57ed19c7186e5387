// Real bash over many lines, each in a folder of its own, with programs that only record how they were called. For tests that compare.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What running one line came to. */
export interface Outcome {
  /** The programs that ran, each with its arguments. */
  readonly calls: readonly (readonly string[])[];
  /** What was left in the folder. */
  readonly files: readonly string[];
}

const recorded = ['npm', 'git', 'cat', 'evil', 'rm', 'node'];
/** Programs that run others, as they are. */
const real = ['env', 'timeout', 'nohup', 'nice', 'stdbuf', 'setsid', 'xargs', 'sh', 'bash', 'time'];

/** Runs each line by `bash -c`. `root`: an empty folder, which is emptied again. */
export function runLines(lines: readonly string[], root: string): readonly Outcome[] {
  const bin = path.join(root, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const name of recorded) {
    const file = path.join(bin, name);
    writeFileSync(file, `#!/bin/sh\nprintf '%s\\037' "\${0##*/}" "$@" >> "$RECORD/$$"\nprintf '\\036' >> "$RECORD/$$"\n`);
    chmodSync(file, 0o755);
  }
  for (const name of real) {
    const found = ['/usr/bin', '/bin'].map((folder) => path.join(folder, name)).find((file) => existsSync(file));
    if (found !== undefined) symlinkSync(found, path.join(bin, name));
  }
  lines.forEach((line, index) => {
    mkdirSync(path.join(root, 'run', String(index)), { recursive: true });
    mkdirSync(path.join(root, 'record', String(index)), { recursive: true });
    writeFileSync(path.join(root, 'run', `${index}.txt`), line);
  });
  writeFileSync(path.join(root, 'driver'), driver);
  spawnSync('/bin/bash', [path.join(root, 'driver'), String(lines.length), root], {
    stdio: 'ignore',
    timeout: 20_000 + lines.length * 100,
    killSignal: 'SIGKILL',
  });
  const outcomes = lines.map((_, index) => ({
    calls: readCalls(path.join(root, 'record', String(index))),
    files: readdirSync(path.join(root, 'run', String(index))),
  }));
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  return outcomes;
}

/** What a line leaves running outlives its bash, and may be a loop without end: its time on a processor is bounded, too. */
const driver = `
for ((i = 0; i < $1; i++)); do
  cd "$2/run/$i" || exit
  IFS= read -r -d '' line < "$2/run/$i.txt"
  (
    ulimit -t 2
    RECORD="$2/record/$i" PATH="$2/bin" HOME="$2/run/$i" /usr/bin/timeout -s KILL 3 /bin/bash -c "$line" </dev/null
  )
done
/bin/sleep 0.2
`;

function readCalls(folder: string): readonly (readonly string[])[] {
  return readdirSync(folder).flatMap((file) =>
    readFileSync(path.join(folder, file), 'utf8')
      .split('\u001e')
      .filter((record) => record !== '')
      .map((record) => record.split('\u001f').slice(0, -1)),
  );
}
