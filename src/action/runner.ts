// The runner's own channels: masks, outputs, state, annotations, summary. The only place that imports @actions/core.
import * as core from '@actions/core';

/** What a run says to the runner. Text from outside is escaped by the runner's command files and by `warning`'s encoding. */
export interface Runner {
  mask(secret: string): void;
  output(name: string, value: string): void;
  saveState(name: string, value: string): void;
  state(name: string): string;
  warning(message: string): void;
  fail(message: string): void;
  summary(markdown: string): Promise<void>;
}

/** The GitHub runner of this process. */
export function gitHubRunner(): Runner {
  return {
    mask: (secret) => core.setSecret(secret),
    output: (name, value) => core.setOutput(name, value),
    saveState: (name, value) => core.saveState(name, value),
    state: (name) => core.getState(name),
    warning: (message) => core.warning(message),
    fail: (message) => core.setFailed(message),
    summary: async (markdown) => {
      await core.summary.addRaw(markdown).write();
    },
  };
}

/** `runner` with secrets taken out of everything that it is told to show. Masks and state are its own business. */
export function redactRunner(runner: Runner, outward: (text: string) => string): Runner {
  return {
    mask: (secret) => runner.mask(secret),
    output: (name, value) => runner.output(name, outward(value)),
    saveState: (name, value) => runner.saveState(name, value),
    state: (name) => runner.state(name),
    warning: (message) => runner.warning(outward(message)),
    fail: (message) => runner.fail(outward(message)),
    summary: (markdown) => runner.summary(outward(markdown)),
  };
}
