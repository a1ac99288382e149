import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { OnCreate, Timer, type ChangeContext, type TimerContext } from 'nestjs-kopf';
import { Inventory } from '../../libs/kopf/src/handling/inventory.js';
import { KEX, OperatorHarness } from '../support/operator.harness.js';

const ROOT = join(import.meta.dirname, '../..');

/** The layers of the libraries, by the folders of their sources. */
const LAYERS: Record<string, { readonly layers: readonly (string | string[])[]; readonly leaves: readonly string[] }> =
  JSON.parse(readFileSync(join(ROOT, 'test/tools/layers.json'), 'utf8'));

/** The page of a library about its architecture. */
class ArchitecturePage {
  readonly text: string;
  readonly files: readonly string[];
  /** Functions with the files that they are said to be in: `file` | `function`, `function`, and in lists `file`: `function`. */
  readonly functions: readonly (readonly [file: string, name: string])[];
  /** The main files of the folders, by their names. */
  readonly mainFiles: ReadonlyMap<string, string>;

  constructor(readonly source: string) {
    this.text = readFileSync(join(ROOT, source, '../ARCHITECTURE.md'), 'utf8');
    this.files = [...new Set(listFiles(this.text))];
    this.functions = [...this.text.matchAll(/`([\w./-]+\.ts)`(?: +\| +|:\s+)((?:`\w+`(?:, )?)+)/g)].flatMap(
      ([, file, names]) => [...names.matchAll(/\w+/g)].map(([name]) => [file, name] as const),
    );
    const rows = this.text.matchAll(/^\| (?:`([\w.-]+)`|the root) +\| [^|]* \| `([\w./-]+)` +\|/gm);
    this.mainFiles = new Map([...rows].map(([, folder = '.', file]) => [folder, file]));
  }

  /** The part of the page below a heading. */
  section(heading: string): string {
    const [, part] = this.text.split(`\n${heading}\n`);
    return part.split(/\n##+ /)[0];
  }

  pathOf(file: string): string {
    if (file === 'src/') return join(ROOT, this.source);
    return /^(test|libs|k8s)\//.test(file) ? join(ROOT, file) : join(ROOT, this.source, file);
  }

  read(file: string): string {
    return readFileSync(this.pathOf(file), 'utf8');
  }

  declares(file: string, name: string): boolean {
    const modifiers = '(export |async |function |private |protected |override |static |abstract )*';
    return new RegExp(`^ *${modifiers}${name}(<.*>)?\\(`, 'm').test(this.read(file));
  }

  /** The comment that a main file begins with. */
  openingOf(file: string): string {
    return /^(?:#!.*\n)?((?:\/\/ .*\n)+)/.exec(this.read(file))?.[1].replaceAll(/^\/\/ /gm, '') ?? '';
  }
}

/** The files and folders that a text names. */
function listFiles(text: string): readonly string[] {
  return [...text.matchAll(/`([\w-][\w./-]*(?:\.(?:ts|json|mjs|md)|\/))`/g)].map(([, file]) => file);
}

/** The private package of what the others share is flat, and has no page. */
const DESCRIBED = Object.entries(LAYERS).filter(([source]) => source !== 'libs/kube-common/src');

describe.each(DESCRIBED)('the architecture of %s', (source, { layers, leaves }) => {
  const page = new ArchitecturePage(source);
  const listed = [...layers.flat(), ...leaves];

  it('should be told with files that exist', () => {
    expect(page.files.length).toBeGreaterThan(60);
    expect(page.files.filter((file) => !existsSync(page.pathOf(file)))).toEqual([]);
  });

  it('should be told with functions that these files have', () => {
    expect(page.functions.length).toBeGreaterThan(25);
    expect(page.functions.filter(([file, name]) => !page.declares(file, name))).toEqual([]);
  });

  it('should be told of each folder', () => {
    const existing = listed.filter((layer) => existsSync(join(ROOT, source, layer)));
    expect([...page.mainFiles.keys()].sort()).toEqual(existing.sort());
  });

  it.each([...page.mainFiles])(
    'should be told by the main file of %s: why it is there, what it may import',
    (layer, file) => {
      const opening = page.openingOf(file);
      expect(opening).toMatch(
        new RegExp(`^${layer === '.' ? 'root' : layer.replace(/\.ts$/, '')}: [^]*^May import: `, 'm'),
      );
      const [, imports] = opening.split('May import: ');
      const ranks = layers.map((rank) => [rank].flat());
      const own = ranks.findIndex((rank) => rank.includes(layer));
      const later = own < 0 ? [] : ranks.slice(own).flat();
      const [allowed] = imports.split(/\b(?:but|neither|not|nothing)\b/);
      const named = [...allowed.matchAll(/\b[a-z]+\b/g)].map(([name]) => name);
      expect(named.filter((name) => later.includes(name) && name !== layer)).toEqual([]);
    },
  );
});

describe('the architecture of embedded-kube', () => {
  const source = 'libs/embedded-kube/src';
  const floors = [...new ArchitecturePage(source).mainFiles.keys()];
  const floorOf = (file: string): number => floors.indexOf(file.includes('/') ? file.split('/')[0] : '.');

  it('should be told in the order in which the folders import each other', () => {
    const files = readdirSync(join(ROOT, source), { recursive: true, encoding: 'utf8' });
    const upward = files
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => /^\w+\/.*(?<!\.spec|\.spec-support)\.ts$/.test(file))
      .flatMap((file) =>
        [...readFileSync(join(ROOT, source, file), 'utf8').matchAll(/ from '(\.[^']+)'/g)]
          .map(([, path]) => posix.join(posix.dirname(file), path))
          .filter((target) => floorOf(target) > floorOf(file))
          .map((target) => `${file} imports ${target}`),
      );
    expect(floors.length).toBeGreaterThan(10);
    expect(upward).toEqual([]);
  });
});

describe('the architecture of nestjs-kopf', () => {
  const page = new ArchitecturePage('libs/kopf/src');
  const way = [...page.section('## The way of an event').matchAll(/^\| \d+ +\| `([\w./-]+)` +\|/gm)].map(
    ([, file]) => file,
  );
  const folderOf = (file: string): string => file.split('/')[0];

  it('should have a way of an event through few files, and through each folder once', () => {
    const entered = way.map(folderOf).filter((folder, index, all) => folder !== all[index - 1]);
    // The API server is at both ends.
    expect(entered.shift()).toBe('client');
    expect(entered.pop()).toBe('client');
    expect(new Set(entered).size).toBe(entered.length);
    expect(new Set(way.map(folderOf)).size).toBeLessThanOrEqual(7);
    expect(way.length).toBeLessThanOrEqual(26);
  });

  it('should answer the questions with few files', () => {
    const rows = [...page.section('### Five questions').matchAll(/^\| (\w+)\? +\| (.*) \|$/gm)];
    const counts = rows.map(([, question, answer]) => [question, listFiles(answer).length]);
    const limits = { found: 4, run: 4, retried: 3, stopped: 3, tested: 1 };
    expect(counts.map(([question]) => question)).toEqual(Object.keys(limits));
    for (const [question, count] of counts) {
      expect(count, `${question}?`).toBeLessThanOrEqual(limits[question as keyof typeof limits]);
    }
  });

  it("should name all files that a timer's tick goes through, in their order", async () => {
    const steps = page.section("### How a timer's tick reaches the method");
    const tick = [...steps.matchAll(/^\d+\. `(?!libs)([\w./-]+)`/gm)].map(([, file]) => file);
    const stacks: Record<string, readonly string[]> = {};
    const note = (place: string): void => {
      const files = [...new Error().stack!.matchAll(/libs\/kopf\/src\/([\w./-]+\.ts)/g)].map(([, file]) => file);
      stacks[place] = files.filter((file) => !file.startsWith('testing/')).reverse();
    };
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 100;
    try {
      class Operator {
        private calls = 0;

        @Timer(...KEX, { interval: 1 })
        tick({ patch }: TimerContext) {
          // The first call is made as soon as the object appears, and not by a tick.
          if (++this.calls === 2) note('method');
          patch.status.calls = this.calls;
        }
      }
      const harness = await OperatorHarness.start();
      await harness.run(Operator, {
        intercept: ({ method }) => void (method === 'PATCH' && note('patch')),
      });
      await harness.create('a');
      await harness.advance(3);
    } finally {
      Error.stackTraceLimit = limit;
    }
    const onTheWay = stacks.method.filter((file, index, all) => file !== all[index - 1]);
    const called = tick.filter((file) => onTheWay.includes(file));
    expect(onTheWay[0]).toBe('background/background.run.ts');
    expect(onTheWay.filter((file) => !tick.includes(file))).toEqual([]);
    expect([...new Set(onTheWay)]).toEqual([...new Set(called)]);
    const own = stacks.patch.filter((file) => file.startsWith('background/'));
    expect(own).not.toEqual([]);
    expect(own.filter((file) => !tick.includes(file))).toEqual([]);
  });

  it('should name all files that an event goes through', async () => {
    const stacks: Record<string, readonly string[]> = {};
    const note = (place: string): void => {
      const files = [...new Error().stack!.matchAll(/libs\/kopf\/src\/([\w./-]+\.ts)/g)].map(([, file]) => file);
      stacks[place] ??= files;
    };
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 100;
    try {
      class Operator {
        @OnCreate(...KEX)
        create({ patch }: ChangeContext) {
          note('method');
          patch.status.seen = true;
        }
      }
      const harness = await OperatorHarness.start();
      await harness.run(Operator, {
        intercept: ({ method }) => void (method === 'PATCH' && note('patch')),
      });
      const recall = Inventory.prototype.recall;
      vi.spyOn(Inventory.prototype, 'recall').mockImplementation(function (this: Inventory, ...args) {
        note('memory');
        return recall.apply(this, args);
      });
      await harness.create('a');
      await harness.advance(1);
    } finally {
      Error.stackTraceLimit = limit;
      vi.restoreAllMocks();
    }
    expect(Object.keys(stacks).sort()).toEqual(['memory', 'method', 'patch']);
    expect([...new Set(Object.values(stacks).flat())].filter((file) => !way.includes(file))).toEqual([]);
  });
});
