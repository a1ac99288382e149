import type { SeededRandom } from 'kube-common';

export const MAPS = '/api/v1/namespaces/default/configmaps';

/** An object as it is stored; `undefined` if it is not there. */
export type StoredMap = { readonly version: string; readonly text: string } | undefined;

/** Sends a request. @throws Error if there is no answer */
export type Send = (
  path: string,
  method: string,
  body?: object,
) => Promise<{ readonly status: number; readonly body: { readonly metadata: { readonly resourceVersion: string } } }>;

/** The state of an object as far as its writer knows it. */
interface Knowledge {
  /** The state that was acknowledged last. */
  readonly acknowledged: StoredMap;
  /** The write that was neither acknowledged nor rejected; its text is absent if it deletes. */
  readonly unanswered?: { readonly text?: string; readonly after: number };
}

/**
 * A writer that creates, changes and deletes its objects until a request fails, and knows the two states in which each of them can be then.
 */
export class Writer {
  acknowledged = 0;
  private readonly objects = new Map<string, Knowledge>();
  private count = 0;
  /** The newest version that it has seen. */
  private newest = 0;

  /** @param size how often the text of an object is repeated */
  constructor(
    private readonly prefix: string,
    private readonly random: SeededRandom,
    private readonly size: number,
    private readonly send: Send,
  ) {}

  /** The names of the objects that are there, as far as it knows. */
  get names(): string[] {
    return [...this.objects].filter(([, { acknowledged }]) => acknowledged).map(([name]) => name);
  }

  /** @throws Error at the first write that is not acknowledged */
  async write(onAcknowledged: () => void): Promise<never> {
    for (;;) {
      const draw = this.random.next();
      const { names } = this;
      const existing = names[Math.floor(this.random.next() * names.length)];
      const isNew = existing === undefined || (draw < 0.5 && names.length < 20);
      const name = isNew ? `${this.prefix}-${this.count++}` : existing;
      await this.change(name, isNew ? 'POST' : draw < 0.8 ? 'PUT' : 'DELETE');
      this.acknowledged += 1;
      onAcknowledged();
    }
  }

  /** @throws Error if the write is not acknowledged */
  async change(name: string, method: 'POST' | 'PUT' | 'DELETE'): Promise<void> {
    const before = this.objects.get(name) ?? { acknowledged: undefined };
    const text = String(this.random.next()).repeat(this.size);
    const deletes = method === 'DELETE';
    this.objects.set(name, { ...before, unanswered: { ...(!deletes && { text }), after: this.newest } });
    const path = method === 'POST' ? MAPS : `${MAPS}/${name}`;
    const { status, body } = await this.send(
      path,
      method,
      deletes ? undefined : { metadata: { name }, data: { text } },
    );
    if (status >= 300) {
      this.objects.set(name, before);
      throw new Error(JSON.stringify(body));
    }
    if (deletes) return void this.objects.set(name, { acknowledged: undefined });
    const version = body.metadata.resourceVersion;
    this.newest = Number(version);
    this.objects.set(name, { acknowledged: { version, text } });
  }

  /** Takes what is stored for the acknowledged state from now on. @returns what must not be */
  settle(stored: ReadonlyMap<string, StoredMap>): string[] {
    const losses: string[] = [];
    for (const [name, known] of this.objects) {
      const state = stored.get(name);
      if (!isPossible(state, known)) losses.push(`${name} is ${show(state)} after ${show(known.acknowledged)}`);
      this.objects.set(name, { acknowledged: state });
      this.newest = Math.max(this.newest, Number(state?.version ?? 0));
    }
    const strangers = [...stored.keys()].filter(
      (name) => name.startsWith(`${this.prefix}-`) && !this.objects.has(name),
    );
    return [...losses, ...strangers.map((name) => `${name} was never written`)];
  }
}

/** Returns an object is as it was acknowledged last, or as the one write has made it that was not answered. */
function isPossible(state: StoredMap, { acknowledged, unanswered }: Knowledge): boolean {
  if (state?.version === acknowledged?.version && state?.text === acknowledged?.text) return true;
  if (!unanswered) return false;
  if (!state || unanswered.text === undefined) return !state && unanswered.text === undefined;
  return state.text === unanswered.text && Number(state.version) > unanswered.after;
}

function show(state: StoredMap): string {
  return state ? `${state.text.slice(0, 20)} at ${state.version}` : 'gone';
}
