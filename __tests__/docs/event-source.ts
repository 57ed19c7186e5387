// A client of server-sent events as the standard describes one: bytes in, whole events out, one by one. Knows nothing of the engine.

export interface SentEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** The events of a body, as the standard reads it: comments are skipped, an event that is not ended by a blank line is none. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<SentEvent> {
  let lastId = '';
  let event = 'message';
  let data: string[] = [];
  for await (const line of linesOf(body)) {
    if (line === '') {
      if (data.length > 0) yield { id: lastId, event, data: data.join('\n') };
      event = 'message';
      data = [];
      continue;
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'id') lastId = value;
    if (field === 'event') event = value;
    if (field === 'data') data.push(value);
  }
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
