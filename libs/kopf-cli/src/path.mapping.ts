import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** The `paths` of a `tsconfig.json`, with the folder that they are relative to. */
interface Paths {
  readonly folder: string;
  readonly patterns: Readonly<Record<string, readonly string[]>>;
}

/** What an import names in JavaScript, and what it is in TypeScript. */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  js: ['ts', 'tsx'],
  jsx: ['tsx'],
  mjs: ['mts'],
  cjs: ['cts'],
};

/**
 * The resolution of files in TypeScript, as the compiler has it: `./service.js`, `./service`, folders with an `index.ts`, and the `paths`
 * of the project.
 */
export class PathMapping {
  constructor(private readonly paths?: Paths) {}

  /** @param config the path of a `tsconfig.json`, which may extend others. */
  static read(config: string | undefined): PathMapping {
    return new PathMapping(config === undefined ? undefined : readPaths(config));
  }

  /** The file that is imported; `undefined` if it is none in TypeScript, or one of another package. */
  resolve(specifier: string, importer: string): string | undefined {
    if (/^\.{1,2}(\/|$)/.test(specifier) || isAbsolute(specifier)) {
      return findSource(resolve(dirname(importer), specifier));
    }
    for (const candidate of this.mapped(specifier)) {
      const found = findSource(candidate);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The paths that a specifier stands for: those of the pattern that says the most of it. */
  private mapped(specifier: string): readonly string[] {
    const { folder, patterns } = this.paths ?? { folder: '', patterns: {} };
    const matching = Object.keys(patterns)
      .map((pattern) => [pattern, matchPattern(pattern, specifier)] as const)
      .filter(([, rest]) => rest !== undefined)
      .sort(([a], [b]) => b.length - a.length);
    const exact = matching.find(([pattern]) => pattern === specifier);
    const [pattern, rest] = exact ?? matching[0] ?? [];
    if (pattern === undefined) return [];
    return patterns[pattern].map((target) =>
      resolve(
        folder,
        target.replace('*', () => rest!),
      ),
    );
  }
}

/** The part of a specifier for which a `*` stands; empty without one. */
function matchPattern(pattern: string, specifier: string): string | undefined {
  const [before, after] = pattern.split('*');
  if (after === undefined) return pattern === specifier ? '' : undefined;
  const fits = specifier.startsWith(before) && specifier.endsWith(after);
  if (!fits || specifier.length < before.length + after.length) return undefined;
  return specifier.slice(before.length, specifier.length - after.length);
}

function findSource(path: string): string | undefined {
  const { base, extension = '' } = /^(?<base>.*)\.(?<extension>[mc]?jsx?)$/.exec(path)?.groups ?? {};
  const candidates = [
    ...(/\.[mc]?tsx?$/.test(path) && !/\.d\.[mc]?ts$/.test(path) ? [path] : []),
    ...(EXTENSIONS[extension] ?? []).map((each) => `${base}.${each}`),
    // A file in JavaScript that is there is meant as it is.
    ...(extension && isFile(path) ? [] : ['.ts', '.tsx', '/index.ts', '/index.tsx'].map((each) => path + each)),
  ];
  return candidates.find(isFile);
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function readPaths(config: string): Paths | undefined {
  const { extends: bases = [], compilerOptions = {} } = parseConfig(readFileSync(config, 'utf8'));
  const folder = dirname(config);
  const { paths, baseUrl = '.' } = compilerOptions;
  if (paths) return { folder: resolve(folder, baseUrl), patterns: paths };
  const files = [bases].flat().map((base) => findBase(base, config));
  // The last one counts.
  return files
    .reverse()
    .map((file) => (file === undefined ? undefined : readPaths(file)))
    .find((found) => found !== undefined);
}

function findBase(base: string, config: string): string | undefined {
  const candidates = [base, `${base}.json`, join(base, 'tsconfig.json')];
  if (isAbsolute(base) || base.startsWith('.')) {
    return candidates.map((each) => resolve(dirname(config), each)).find(isFile);
  }
  const { resolve: find } = createRequire(config);
  for (const candidate of candidates) {
    try {
      const file = find(candidate);
      if (existsSync(file)) return file;
    } catch {
      // It is one of the others, or the compiler says that it is missing.
    }
  }
  return undefined;
}

interface Config {
  readonly extends?: string | readonly string[];
  readonly compilerOptions?: {
    readonly paths?: Readonly<Record<string, readonly string[]>>;
    readonly baseUrl?: string;
  };
}

/** Reads JSON with comments, and with commas at the ends of lists. */
function parseConfig(text: string): Config {
  const plain = text
    .replace(/^\uFEFF/, '')
    .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (_, string?: string) => string ?? ' ')
    .replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_, string?: string) => string ?? '');
  return JSON.parse(plain) as Config;
}
