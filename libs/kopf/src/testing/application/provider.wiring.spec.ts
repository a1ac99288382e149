import { Inject, Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { recordReplaced, replaceProvider, wireProviders } from './provider.wiring.js';

const NAME = 'NAME';
const GREETING = 'GREETING';
const made: string[] = [];

@Injectable()
class Reader {
  constructor(@Inject(GREETING) readonly greeting: string) {
    made.push('Reader');
  }
}

@Injectable()
class Writer {
  constructor(
    @Inject(Reader) readonly reader: Reader,
    @Inject(NAME) readonly name: string,
  ) {
    made.push('Writer');
  }
}

const PROVIDERS = [
  Writer,
  Reader,
  { provide: GREETING, useFactory: (name: string) => `Hello ${name}`, inject: [NAME] },
];

@Module({ providers: [...PROVIDERS, { provide: NAME, useFactory: () => Promise.resolve('you') }], exports: [Writer] })
class WiredModule {}

describe('wireProviders', () => {
  beforeEach(() => void made.splice(0));

  it('should make each provider once, with what it depends on, and with what Nest has made', async () => {
    const builder = Test.createTestingModule({ imports: [WiredModule] });
    wireProviders(builder, PROVIDERS);
    const module = await builder.compile();
    const writer = module.get(Writer, { strict: false });
    expect(writer).toMatchObject({ name: 'you', reader: { greeting: 'Hello you' } });
    expect(writer.reader).toBe(module.get(Reader, { strict: false }));
    expect(made).toEqual(['Reader', 'Writer']);
  });

  it('should take the last provider of a token', async () => {
    const builder = Test.createTestingModule({ imports: [WiredModule] });
    wireProviders(builder, [...PROVIDERS, { provide: GREETING, useValue: 'Bye' }]);
    const module = await builder.compile();
    expect(module.get(Writer, { strict: false }).reader.greeting).toBe('Bye');
  });

  it('should leave it to Nest to resolve aliases, which Nest 11 confuses with others once they are replaced', async () => {
    const builder = Test.createTestingModule({ imports: [WiredModule] });
    const replaced = recordReplaced(builder, () =>
      wireProviders(builder, [{ provide: 'ALIAS', useExisting: Writer }, ...PROVIDERS]),
    );
    expect(replaced).toEqual(new Set([Writer, Reader, GREETING]));
  });

  it('should fail the start with the error of a provider', async () => {
    const builder = Test.createTestingModule({ imports: [WiredModule] });
    const useFactory = (): never => {
      throw new TypeError('no greeting');
    };
    wireProviders(builder, [...PROVIDERS, { provide: GREETING, useFactory }]);
    await expect(builder.compile()).rejects.toThrow(new TypeError('no greeting'));
  });
});

describe('recordReplaced', () => {
  it('should list what is replaced while the function runs, and replace it', async () => {
    const builder = Test.createTestingModule({ imports: [WiredModule] });
    replaceProvider(builder, { provide: GREETING, useValue: 'Bye' });
    const replaced = recordReplaced(builder, () => builder.overrideProvider(NAME).useValue('me'));
    replaceProvider(builder, { provide: Reader, useFactory: () => 'reader', inject: [] });
    expect([...replaced]).toEqual([NAME]);
    const module = await builder.compile();
    expect(module.get(Writer, { strict: false })).toMatchObject({ name: 'me', reader: 'reader' });
  });
});
