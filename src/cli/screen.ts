// stderr as the place of a dialogue: what others write while a person is being asked waits until they have answered.

export interface Screen {
  readonly write: (text: string) => void;
  /** Runs `dialogue`, which has the screen for itself. One at a time. */
  readonly during: <T>(dialogue: (write: (text: string) => void) => Promise<T>) => Promise<T>;
}

/** A screen over `write`. */
export function createScreen(write: (text: string) => void): Screen {
  let waiting: string[] | undefined;
  return {
    write: (text) => {
      if (waiting === undefined) write(text);
      else waiting.push(text);
    },
    during: async (dialogue) => {
      const held: string[] = [];
      waiting = held;
      try {
        return await dialogue(write);
      } finally {
        waiting = undefined;
        for (const text of held) write(text);
      }
    },
  };
}
