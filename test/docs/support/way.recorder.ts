import { Session, type Profiler } from 'node:inspector';
import { join } from 'node:path';

const SOURCES = join(import.meta.dirname, '../../../libs/kopf/src/');

/** One call on a stack trace. */
export interface WayFrame {
  readonly file: string;
  /** The name of the function; absent for one without a name. */
  readonly name?: string;
}

/** The part of a file that belongs to a function, with the functions that it makes. */
interface FunctionRange {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  isCalled: boolean;
}

/**
 * Records which way a request, an event, or a signal takes through the sources of nestjs-kopf: the stack traces at the stations of the
 * way, and all functions that are called, as V8 counts them.
 */
export class WayRecorder {
  /** The stack trace at each station when it was reached for the first time, the innermost call first. */
  readonly stations = new Map<string, readonly WayFrame[]>();
  private readonly session = new Session();
  private readonly limit = Error.stackTraceLimit;
  /** The functions of each file that were called at any time, as V8 reports each function only when it was called. */
  private readonly functions = new Map<string, FunctionRange[]>();
  private hasEnded = false;

  constructor() {
    this.session.connect();
    this.session.post('Profiler.enable');
    this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    Error.stackTraceLimit = 200;
  }

  /** Begins the way: what was called or passed before does not count. */
  begin(): void {
    this.take();
    this.stations.clear();
    for (const ranges of this.functions.values()) for (const range of ranges) range.isCalled = false;
  }

  /** Records the stack trace of a station. */
  pass(station: string): void {
    if (!this.stations.has(station)) this.stations.set(station, framesOf(new Error().stack!));
  }

  /** Makes a station of the calls of a method or an exported function: `logs/pod.tailer.ts: update`. */
  async watch(station: string): Promise<void> {
    const [file, name] = station.split(': ');
    const exported: Record<string, any> = await import(SOURCES + file);
    const owner = Object.values(exported).find((value) => typeof value?.prototype?.[name] === 'function');
    const target = (owner?.prototype ?? exported) as Record<string, (...args: unknown[]) => unknown>;
    const original = target[name];
    const { stations } = this;
    vi.spyOn(target, name).mockImplementation(function (this: unknown, ...args) {
      if (!stations.has(station)) stations.set(station, [{ file, name }, ...framesOf(new Error().stack!)]);
      return original.apply(this, args);
    });
  }

  /** Ends the way, and the recording. */
  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.take();
    this.session.disconnect();
    Error.stackTraceLimit = this.limit;
  }

  /** The files of a folder of which anything was called that has a name: not only constructors, getters, and callbacks. */
  filesIn(folder: string): readonly string[] {
    return [...this.functions]
      .filter(([file, ranges]) => file.startsWith(`${folder}/`) && ranges.some(isNamedCall))
      .map(([file]) => file);
  }

  /** Whether a function was called, or one that it has made before. */
  hasCalled(file: string, name: string): boolean {
    const ranges = this.functions.get(file) ?? [];
    return ranges
      .filter((range) => range.name === name)
      .some(({ start, end }) => ranges.some((range) => range.isCalled && range.start >= start && range.end <= end));
  }

  private take(): void {
    this.session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error) throw error;
      for (const { url, functions } of result) {
        const path = url.replace('file://', '');
        if (path.startsWith(SOURCES)) this.add(path.slice(SOURCES.length), functions);
      }
    });
  }

  private add(file: string, functions: readonly Profiler.FunctionCoverage[]): void {
    const known = this.functions.get(file) ?? [];
    for (const { functionName: name, ranges } of functions) {
      const { startOffset: start, endOffset: end, count } = ranges[0];
      known.push({ name, start, end, isCalled: count > 0 });
    }
    this.functions.set(file, known);
  }
}

function framesOf(stack: string): readonly WayFrame[] {
  return stack.split('\n').flatMap((line) => {
    const [, file] = /\/libs\/kopf\/src\/([\w./-]+\.ts)/.exec(line) ?? [];
    const [, name] = /^ +at (?:async )?(?:[\w.]+\.)?(\w+) (?:\[as \w+\] )?\(/.exec(line) ?? [];
    return file ? [{ file, ...(name && { name }) }] : [];
  });
}

function isNamedCall({ isCalled, name }: FunctionRange): boolean {
  return isCalled && /^[a-z]\w*$/.test(name);
}
