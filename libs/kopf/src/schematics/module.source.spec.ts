import { ModuleSource } from './module.source.js';

const add = (text: string): string => new ModuleSource(text).add('imports', 'KopfModule.forRoot()').text;

describe('ModuleSource', () => {
  it.each([
    ['an empty decorator', '@Module()\nclass A {}', '@Module({ imports: [KopfModule.forRoot()] })\nclass A {}'],
    [
      'a decorator without the list',
      '@Module({\n  providers: [],\n})',
      '@Module({\n  imports: [KopfModule.forRoot()],\n  providers: [],\n})',
    ],
    ['an empty list', '@Module({ imports: [] })', '@Module({ imports: [KopfModule.forRoot()] })'],
    ['a list in one line', '@Module({ imports: [A] })', '@Module({ imports: [A, KopfModule.forRoot()] })'],
    ['a comma at the end', '@Module({ imports: [A,] })', '@Module({ imports: [A, KopfModule.forRoot()] })'],
    [
      'a list in several lines',
      '@Module({\n  imports: [\n    A,\n    B.forRoot({ c: [1] }),\n  ],\n})',
      '@Module({\n  imports: [\n    A,\n    B.forRoot({ c: [1] }),\n    KopfModule.forRoot(),\n  ],\n})',
    ],
    [
      'a list in several lines without a comma at the end',
      '@Module({\n  imports: [\n    A\n  ],\n})',
      '@Module({\n  imports: [\n    A,\n    KopfModule.forRoot(),\n  ],\n})',
    ],
    [
      'brackets and words in comments and texts',
      "// @Module({ imports: [\n@Module({ providers: [{ imports: ['x'] }], /* imports: [ */ imports: [A.of('])')] })",
      "// @Module({ imports: [\n@Module({ providers: [{ imports: ['x'] }], /* imports: [ */ imports: [A.of('])'), KopfModule.forRoot()] })",
    ],
  ])('should add to %s', (_, before, after) => expect(add(before)).toBe(after));

  it.each([
    ['[]', '[B]'],
    ['[A]', '[B, A]'],
    ['[\n    A,\n  ]', '[\n    B,\n    A,\n  ]'],
  ])('should add to the beginning of %j', (before, after) => {
    const { text } = new ModuleSource(`@Module({ imports: ${before} })`).add('imports', 'B', 'first');
    expect(text).toBe(`@Module({ imports: ${after} })`);
  });

  it.each([
    ['a file without a module', 'export class A {}', 'There is no @Module() in the file.'],
    [
      'options that are elsewhere',
      '@Module(OPTIONS)',
      'Add KopfModule.forRoot() to the imports of @Module(): they are not written in place.',
    ],
    [
      'a list that is elsewhere',
      '@Module({ imports: ALL })',
      'Add KopfModule.forRoot() to the imports of @Module(): they are not a list.',
    ],
  ])('should reject %s', (_, text, message) => expect(() => add(text)).toThrow(message));

  it.each([
    ['no imports', 'class A {}', "import { B } from 'b';\nclass A {}"],
    ['others', "import { A } from 'a';\n\nclass A {}", "import { A } from 'a';\nimport { B } from 'b';\n\nclass A {}"],
    ['the same package', "import { A } from 'b';", "import { A, B } from 'b';"],
    ['the same package in lines', "import {\n  A,\n} from 'b';", "import {\n  A, B\n} from 'b';"],
    ['the name itself', "import { A, B } from 'b';", "import { A, B } from 'b';"],
  ])('should import where there is: %s', (_, before, after) => {
    expect(new ModuleSource(before).addImport('B', 'b').text).toBe(after);
  });
});
