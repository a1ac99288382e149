import type { ConsoleMessage } from '../../../libs/kopf/src/console/console.api.js';

/** Fetches what has changed, as the page does that shows objects. */
const SHOWN: Readonly<Record<string, string>> = { overview: 'overview', now: 'now', objects: 'objects?limit=100' };

/** A browser with one tab, as far as the server notices. */
export class Viewer {
  private readonly controller = new AbortController();
  private waiting?: { readonly name: string; readonly resolve: () => void };

  private constructor(private readonly base: string) {}

  static async open(base: string): Promise<Viewer> {
    const viewer = new Viewer(base);
    const url = `${base}api/stream?topics=log,${Object.keys(SHOWN).join()}`;
    const response = await fetch(url, { signal: viewer.controller.signal });
    void viewer.read(response.body!).catch(() => undefined);
    return viewer;
  }

  /** Resolves when the stream tells of a change of the object. */
  sees(name: string): Promise<void> {
    return new Promise((resolve) => (this.waiting = { name, resolve }));
  }

  close(): void {
    this.controller.abort();
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) this.take(JSON.parse(data) as ConsoleMessage);
      }
    }
  }

  private take(message: ConsoleMessage): void {
    if (message.type === 'log') {
      const { waiting } = this;
      if (waiting && message.events.some(({ type, object }) => type === 'change' && object?.name === waiting.name))
        waiting.resolve();
    } else if (message.type === 'changed') {
      for (const topic of message.topics) {
        const path = SHOWN[topic];
        if (path)
          void fetch(`${this.base}api/${path}`)
            .then((response) => response.text())
            .catch(() => undefined);
      }
    }
  }
}
