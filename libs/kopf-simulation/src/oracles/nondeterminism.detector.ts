import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { describeFrame, framesOf, isOwnFrame } from './stack.frames.js';

/** A function of Node.js whose result differs from run to run, or that calls back in real time. */
interface NondeterministicFunction {
  readonly holder: object;
  readonly name: string;
  /** The name of the function for people, with what to use instead. */
  readonly text: string;
}

const NONDETERMINISTIC_FUNCTIONS: readonly NondeterministicFunction[] = [
  { holder: Math, name: 'random', text: 'Math.random(): use KOPF_RANDOM' },
  { holder: Date, name: 'now', text: 'Date.now(): use KOPF_CLOCK' },
  { holder: performance, name: 'now', text: 'performance.now(): use KOPF_CLOCK' },
  { holder: globalThis, name: 'setTimeout', text: 'setTimeout(): use KOPF_CLOCK' },
  { holder: globalThis, name: 'setInterval', text: 'setInterval(): use KOPF_CLOCK' },
  { holder: globalThis, name: 'fetch', text: 'fetch(): use a fake of the other system' },
  { holder: globalThis.crypto, name: 'randomUUID', text: 'crypto.randomUUID(): use KOPF_RANDOM' },
  { holder: crypto, name: 'randomUUID', text: 'crypto.randomUUID(): use KOPF_RANDOM' },
  { holder: crypto, name: 'randomBytes', text: 'crypto.randomBytes(): use KOPF_RANDOM' },
  { holder: crypto, name: 'randomInt', text: 'crypto.randomInt(): use KOPF_RANDOM' },
];

/** Frames of Node.js and of packages, which can stand between the user's code and the function. */
const BETWEEN = /node:|node_modules|^\s*at (new Promise|async Promise\.)|<anonymous>\)?$/;

/**
 * Finds out which nondeterministic functions the user's code calls, by replacing them as long as it is on. It changes globals of the whole process,
 * so it is on only in a separate run, after two runs of one plan have differed.
 */
export class NondeterminismDetector {
  private readonly seen = new Set<string>();
  private readonly restore: (() => void)[] = [];

  /** Descriptions of the calls, with their callers. */
  get found(): readonly string[] {
    return [...this.seen];
  }

  begin(): void {
    for (const each of NONDETERMINISTIC_FUNCTIONS) this.intercept(each);
    this.interceptDate();
    syncBuiltinESMExports();
  }

  /** Restores the functions. */
  end(): void {
    for (const restore of this.restore.splice(0).reverse()) restore();
    syncBuiltinESMExports();
  }

  private intercept({ holder, name, text }: NondeterministicFunction): void {
    const apply = (target: object, self: unknown, args: readonly unknown[]): unknown => {
      this.note(text, apply);
      return Reflect.apply(target as () => unknown, self, args) as unknown;
    };
    this.replace(holder, name, (original) => new Proxy(original, { apply }));
  }

  private interceptDate(): void {
    const construct = (target: object, args: readonly unknown[], own: () => unknown): object => {
      if (args.length === 0) this.note('new Date(): use KOPF_CLOCK', construct);
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

  /** @param replacement the function that was called, whose caller is looked for */
  private note(text: string, replacement: object): void {
    const call = { stack: '' };
    // Own frames cannot be recognized by file names, as the published package has all code in one file.
    Error.captureStackTrace(call, replacement as () => unknown);
    const frame = callerOf(call.stack);
    if (frame) this.seen.add(`${frame} calls ${text}`);
  }
}

/** The user's function that has called the replacement, with its place; `undefined` if the caller is not the user's code. */
function callerOf(stack: string): string | undefined {
  const first = framesOf(stack).find((frame) => isOwnFrame(frame) || !BETWEEN.test(frame));
  return first === undefined || isOwnFrame(first) ? undefined : describeFrame(first);
}
