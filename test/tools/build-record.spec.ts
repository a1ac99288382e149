import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findReasonToBuild,
  hashFiles,
  readRecord,
  removeRecord,
  writeRecord,
  type BuildRecord,
  type Hashes,
} from './build-record.mjs';

const ROOT = join(import.meta.dirname, '../..');

const INPUTS: Hashes = { 'Node.js': 'v20.19.0', 'package-lock.json': 'l', 'src/a.ts': 'a', 'src/b.ts': 'b' };
const OUTPUTS: Hashes = { 'dist/index.d.ts': 't', 'dist/index.js': 'j' };
const BUILT: BuildRecord = { inputs: INPUTS, outputs: OUTPUTS };

describe('the decision to build', () => {
  it.each<{ what: string; record?: Partial<BuildRecord>; inputs?: Hashes; outputs?: Hashes; reason?: string }>([
    { what: 'nothing is different', record: BUILT },
    { what: 'files are found in another order', record: BUILT, inputs: reverse(INPUTS), outputs: reverse(OUTPUTS) },
    { what: 'the last build failed or never ended', record: undefined, reason: 'it is not built yet' },
    { what: 'the record is of another form', record: {}, reason: 'it is not built yet' },
    { what: 'the record is cut off', record: { inputs: INPUTS }, reason: 'it is not built yet' },
    {
      what: 'a source has changed',
      record: BUILT,
      inputs: { ...INPUTS, 'src/b.ts': 'c' },
      reason: 'src/b.ts has changed',
    },
    { what: 'a source is new', record: BUILT, inputs: { ...INPUTS, 'src/c.ts': 'c' }, reason: 'src/c.ts is new' },
    { what: 'a source is deleted', record: BUILT, inputs: without(INPUTS, 'src/a.ts'), reason: 'src/a.ts is missing' },
    {
      what: 'a source is moved',
      record: BUILT,
      inputs: { ...without(INPUTS, 'src/a.ts'), 'src/c.ts': 'a' },
      reason: 'src/c.ts is new',
    },
    {
      what: 'other packages are installed',
      record: BUILT,
      inputs: { ...INPUTS, 'package-lock.json': 'm' },
      reason: 'package-lock.json has changed',
    },
    {
      what: 'Node.js is another',
      record: BUILT,
      inputs: { ...INPUTS, 'Node.js': 'v22.0.0' },
      reason: 'Node.js has changed',
    },
    {
      what: 'an output is deleted',
      record: BUILT,
      outputs: without(OUTPUTS, 'dist/index.js'),
      reason: 'dist/index.js is missing',
    },
    {
      what: 'an output is not as it was built',
      record: BUILT,
      outputs: { ...OUTPUTS, 'dist/index.js': 'k' },
      reason: 'dist/index.js has changed',
    },
    {
      what: 'there is an output of something else',
      record: BUILT,
      outputs: { ...OUTPUTS, 'dist/old.js': 'o' },
      reason: 'dist/old.js is new',
    },
    { what: 'all outputs are deleted', record: BUILT, outputs: {}, reason: 'dist/index.d.ts is missing' },
  ])('should be "$reason" when $what', ({ record, inputs = INPUTS, outputs = OUTPUTS, reason }) => {
    expect(findReasonToBuild(record, { inputs, outputs })).toBe(reason);
  });
});

describe('the hashes of files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'build-record-'));
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);

  beforeEach(() => {
    mkdirSync(join(folder, 'lib/src/deep'), { recursive: true });
    mkdirSync(join(folder, 'lib/dist'));
    write('lib/package.json', '{}');
    write('lib/src/deep/a.ts', 'a');
    write('lib/src/deep/a.spec.ts', 'spec');
    write('lib/dist/a.js', 'a');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('should be of all files in a folder that are included, and of single files that exist', () => {
    const hashes = hashFiles(folder, ['lib', 'lib/package.json', 'none.json'], (path) => !/\/dist$|spec/.test(path));
    expect(Object.keys(hashes).sort()).toEqual(['lib/package.json', 'lib/src/deep/a.ts']);
  });

  it('should change with the content alone', () => {
    const before = hashFiles(folder, ['lib']);
    write('lib/src/deep/a.ts', 'a');
    expect(hashFiles(folder, ['lib'])).toEqual(before);
    write('lib/src/deep/a.ts', 'b');
    expect(hashFiles(folder, ['lib'])).toEqual({
      ...before,
      'lib/src/deep/a.ts': expect.not.stringMatching(before['lib/src/deep/a.ts']) as string,
    });
  });

  it('should be recorded until the next build begins', () => {
    const file = join(folder, 'cache/builds/lib.json');
    expect(readRecord(file)).toBeUndefined();
    writeRecord(file, BUILT);
    expect(readRecord(file)).toEqual(BUILT);
    removeRecord(file);
    removeRecord(file);
    expect(readRecord(file)).toBeUndefined();
  });

  it('should not be taken from a record of which only a part was written', () => {
    writeRecord(join(folder, 'lib.json'), BUILT);
    write('lib.json', readFileSync(join(folder, 'lib.json'), 'utf8').slice(0, 100));
    expect(readRecord(join(folder, 'lib.json'))).toBeUndefined();
  });
});

it('should not build anything of a spec, as a changed spec is no reason to build', () => {
  const projects = ['libs', 'apps'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
  );
  expect(projects.length).toBeGreaterThan(5);
  for (const project of projects) {
    const config = project.startsWith('libs/') ? 'tsconfig.lib.json' : 'tsconfig.app.json';
    const { exclude } = JSON.parse(readFileSync(join(ROOT, project, config), 'utf8')) as { exclude: string[] };
    expect(exclude, project).toContain('**/*.spec.ts');
  }
});

function without(hashes: Hashes, name: string): Hashes {
  return Object.fromEntries(Object.entries(hashes).filter(([each]) => each !== name));
}

function reverse(hashes: Hashes): Hashes {
  return Object.fromEntries(Object.entries(hashes).reverse());
}
