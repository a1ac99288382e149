import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { describeFrame, framesOf, isOwnFrame } from './stack.frames.js';

/** A function of Node.js that returns something else in each run, or calls back in real time. */
interface NondeterministicFunction {
  readonly holder: object;
  readonly name: string;
  /** Names it for people, with what to take instead. */
  readonly text: string;
}

const NONDETERMINISTIC_FUNCTIONS: readonly NondeterministicFunction[] = [
  { holder: Math, name: 'random', text: 'Math.random(): take KOPF_RANDOM' },
  { holder: Date, name: 'now', text: 'Date.now(): take KOPF_CLOCK' },
  { holder: performance, name: 'now', text: 'performance.now(): take KOPF_CLOCK' },
  { holder: globalThis, name: 'setTimeout', text: 'setTimeout(): take KOPF_CLOCK' },
  { holder: globalThis, name: 'setInterval', text: 'setInterval(): take KOPF_CLOCK' },
  { holder: globalThis, name: 'fetch', text: 'fetch(): take a fake of the other system' },
  { holder: globalThis.crypto, name: 'randomUUID', text: 'crypto.randomUUID(): take KOPF_RANDOM' },
  { holder: crypto, name: 'randomUUID', text: 'crypto.randomUUID(): take KOPF_RANDOM' },
  { holder: crypto, name: 'randomBytes', text: 'crypto.randomBytes(): take KOPF_RANDOM' },
  { holder: crypto, name: 'randomInt', text: 'crypto.randomInt(): take KOPF_RANDOM' },
];

/** The frames of Node.js, and of packages, through which a call may have come from the user's code. */
const BETWEEN = /node:|node_modules|^\s*at (new Promise|async Promise\.)|<anonymous>\)?$/;

/**
 * Finds out which of the usual culprits of runs that differ the user's code calls: it stands in for them, as long as it is on. It changes
 * what the whole process has, so it is on only in a run of its own, after two runs have differed.
 */
export class NondeterminismDetector {
  private readonly seen = new Set<string>();
  private readonly restore: (() => void)[] = [];

  /** Says who has called what. */
  get found(): readonly string[] {
    return [...this.seen];
  }

  begin(): void {
    for (const each of NONDETERMINISTIC_FUNCTIONS) this.standIn(each);
    this.standInForDates();
    syncBuiltinESMExports();
  }

  /** Gives everything back. */
  end(): void {
    for (const restore of this.restore.splice(0).reverse()) restore();
    syncBuiltinESMExports();
  }

  private standIn({ holder, name, text }: NondeterministicFunction): void {
    const apply = (target: object, self: unknown, args: readonly unknown[]): unknown => {
      this.note(text, apply);
      return Reflect.apply(target as () => unknown, self, args) as unknown;
    };
    this.replace(holder, name, (original) => new Proxy(original, { apply }));
  }

  private standInForDates(): void {
    const construct = (target: object, args: readonly unknown[], own: () => unknown): object => {
      if (args.length === 0) this.note('new Date(): take KOPF_CLOCK', construct);
      return Reflect.construct(target as () => unknown, args, own) as object;
    };
    this.replace(globalThis, 'Date', (original) => new Proxy(original, { construct }));
  }

  private replace(holder: object, name: string, make: (original: (...args: any[]) => unknown) => unknown): void {
    const descriptor = Object.getOwnPropertyDescriptor(holder, name);
    const original = Reflect.get(holder, name) as (...args: any[]) => unknown;
    Object.defineProperty(holder, name, { value: make(original), configurable: true, writable: true });
    this.restore.push(() => {
      if (descriptor) Object.defineProperty(holder, name, descriptor);
      else Reflect.deleteProperty(holder, name);
    });
  }

  /** @param standIn the function that was called in the place of the culprit: who has called it counts. */
  private note(text: string, standIn: object): void {
    const call = { stack: '' };
    // Names of files would not do to leave out the own frames, as the published package has all of them in one.
    Error.captureStackTrace(call, standIn as () => unknown);
    const frame = callerOf(call.stack);
    if (frame) this.seen.add(`${frame} calls ${text}`);
  }
}

/** The user's function that has called, with its place; `undefined` if the call is not of the user's code. */
function callerOf(stack: string): string | undefined {
  const first = framesOf(stack).find((frame) => isOwnFrame(frame) || !BETWEEN.test(frame));
  return first === undefined || isOwnFrame(first) ? undefined : describeFrame(first);
}
