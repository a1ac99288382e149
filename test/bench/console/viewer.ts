import type { ConsoleMessage } from '../../../libs/kopf-console/src/console.api.js';

/** The paths of the answers that a tab fetches whenever their topics have changed. */
export type ShownAnswers = Readonly<Record<string, string>>;

/** The object whose screen is looked at; it changes as seldom as any other one. */
const OBJECT = 'objects/kopfexamples.kopf.dev/default/object-0000001';

/** The answers of the screens; the frame of the page shows the overview. */
export const SCREENS = {
  objects: { overview: 'overview', objects: 'objects?limit=100' },
  'objects, by the last change': { overview: 'overview', objects: 'objects?limit=100&sort=-changed' },
  'an object': { overview: 'overview', [OBJECT]: OBJECT },
  now: { overview: 'overview', now: 'now' },
  log: { overview: 'overview' },
} as const satisfies Record<string, ShownAnswers>;

/** A browser with one tab, as far as the server notices. */
export class Viewer {
  private readonly controller = new AbortController();
  private readonly fetching = new Set<string>();
  private readonly again = new Set<string>();
  private waiting?: { readonly name: string; readonly resolve: () => void };

  private constructor(
    private readonly base: string,
    private readonly shown: ShownAnswers,
  ) {}

  /** @param topics those of the stream beside the ones that are shown. */
  static async open(base: string, shown: ShownAnswers, topics: readonly string[] = []): Promise<Viewer> {
    const viewer = new Viewer(base, shown);
    const url = `${base}api/stream?topics=${[...topics, ...Object.keys(shown)].join()}`;
    const response = await fetch(url, { signal: viewer.controller.signal });
    void viewer.read(response.body!).catch(() => undefined);
    for (const topic of Object.keys(shown)) viewer.refresh(topic);
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
      for (const topic of message.topics) this.refresh(topic);
    }
  }

  private refresh(topic: string): void {
    const path = this.shown[topic];
    if (path !== undefined) this.fetch(path);
  }

  /** Fetches an answer, but never twice at a time, as the page does. */
  private fetch(path: string): void {
    if (this.fetching.has(path)) return void this.again.add(path);
    this.fetching.add(path);
    void fetch(`${this.base}api/${path}`)
      .then((response) => response.text())
      .catch(() => undefined)
      .finally(() => {
        this.fetching.delete(path);
        if (this.again.delete(path)) this.fetch(path);
      });
  }
}
