import { Controller, Get, Injectable, ParseIntPipe, UsePipes, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { KopfAdmissionModule, KopfModule, OnCreate, OnEvent, OnStartup, type KopfModuleOptions } from 'nestjs-kopf';
import { KopfMetricsModule } from 'nestjs-kopf/metrics';
import { KopfHealthModule } from 'nestjs-kopf/health';
import { KOPF_LOGGER } from '../../../libs/kopf/src/kopf.tokens.js';
import { MemoryLogger } from '../../support/telemetry/memory.logger.js';
import { KEX } from '../../support/operators/operator.harness.js';
import { ScriptedTransport } from '../../support/transport/scripted.api.js';

class Watching {
  @OnEvent(...KEX)
  note() {}
}

/** Collects the warnings of an application with the classes: those of its operator, which needs no cluster, and of Nest's logger. */
async function warningsOf(
  classes: readonly Type[],
  options?: KopfModuleOptions | 'no module',
): Promise<readonly string[]> {
  const logger = new MemoryLogger();
  const credentials = { server: 'http://embedded', transport: new ScriptedTransport(() => ({ json: { items: [] } })) };
  const kopf = options === 'no module' ? [] : [KopfModule.forRoot({ credentials, ...options })];
  const builder = Test.createTestingModule({ imports: kopf, providers: [...classes] }).setLogger(logger);
  if (options !== 'no module') builder.overrideProvider(KOPF_LOGGER).useValue(logger);
  const module = await builder.compile();
  onTestFinished(() => module.close());
  await module.init();
  return logger.messages('warn').filter((message) => !message.includes('look'));
}

const STOPPED = { enabled: false };

describe('Warnings at the start', () => {
  it('should not be there if there is nothing to warn of', async () => {
    expect(await warningsOf([Watching], STOPPED)).toEqual([]);
  });

  describe('of handlers without the module', () => {
    it('should be one in an application, with what to do', async () => {
      class Others extends Watching {
        @OnCreate(...KEX)
        create() {}
      }
      const [warning, ...more] = await warningsOf([Watching, Others], 'no module');
      expect(warning).toMatch(
        /^Watching has handlers, but .* import KopfModule\.forRoot\(\) in the root module; .*enabled: false/,
      );
      expect(more).toEqual([]);
      expect(await warningsOf([Others], 'no module')).toEqual([expect.stringMatching(/^Others has handlers/)]);
    });

    it('should leave the instances as they are', () => {
      class Counting {
        count = 1;
        @OnEvent(...KEX)
        note() {}
      }
      const instance = new Counting();
      expect(Object.keys(instance)).toEqual(['count']);
      expect(Object.getOwnPropertySymbols(instance)).toEqual([]);
      expect({ ...instance }).toEqual({ count: 1 });
    });

    it('should not come in the way of what classes have injected themselves', async () => {
      @Injectable()
      class Names {
        readonly all = ['a'];
      }
      class Base {
        @OnEvent(...KEX)
        note() {}
      }
      @Injectable()
      class Derived extends Base {
        constructor(readonly names: Names) {
          super();
        }
        @OnStartup()
        begin() {}
      }
      const module = await Test.createTestingModule({ providers: [{ provide: Names, useValue: new Names() }, Derived] })
        .setLogger(new MemoryLogger())
        .compile();
      expect(Object.keys(module.get(Derived))).toEqual(['names']);
    });
  });

  describe('of no handlers at all', () => {
    it('should say where they belong', async () => {
      expect(await warningsOf([])).toEqual([
        expect.stringMatching(/^There are no handlers, .* providers of a module .* or set enabled: false/),
      ]);
    });

    it('should not be there if the operator is not to work', async () => {
      expect(await warningsOf([], STOPPED)).toEqual([]);
    });
  });

  describe('of methods that override handlers', () => {
    class Base {
      @OnCreate(...KEX)
      create() {}
      @OnEvent(...KEX)
      note() {}
    }

    it('should name both, and say what to do', async () => {
      class Derived extends Base {
        override create() {}
      }
      expect(await warningsOf([Derived], STOPPED)).toEqual([
        'Derived.create overrides Base.create, which has @OnCreate, and has no decorator itself, so it is never called: repeat the ' +
          'decorator on Derived.create, or give the method another name if it is meant to replace the handler.',
      ]);
    });

    it('should find them over several generations, and only once', async () => {
      class Middle extends Base {}
      class Derived extends Middle {
        override create() {}
      }
      class Other extends Derived {}
      expect(await warningsOf([Derived], STOPPED)).toHaveLength(1);
      expect(await warningsOf([Other], STOPPED)).toHaveLength(1);
    });

    it('should not be there if the decorator is repeated, or if nothing is overridden', async () => {
      class Repeating extends Base {
        @OnCreate(...KEX)
        override create() {}
      }
      class Inheriting extends Base {
        another() {}
      }
      for (const type of [Repeating, Inheriting]) expect(await warningsOf([type], STOPPED)).toEqual([]);
    });
  });

  describe('of pipes', () => {
    it('should be there for a handler that takes its context', async () => {
      class Piped {
        @OnCreate(...KEX)
        @UsePipes(ParseIntPipe)
        create() {}
      }
      expect(await warningsOf([Piped], STOPPED)).toEqual([
        expect.stringMatching(
          /^Piped\.create has @UsePipes\(\), but takes the whole context, .* and remove the pipes\.$/,
        ),
      ]);
    });

    it('should not be there for pipes of routes beside it', async () => {
      @Controller('items')
      @UsePipes(ParseIntPipe)
      class Items {
        @Get()
        list() {
          return [];
        }
        @OnCreate(...KEX)
        create() {}
      }
      expect(await warningsOf([Items], STOPPED)).toEqual([]);
    });
  });
});

describe('Factories of options that return nothing', () => {
  const nothing = (() => undefined) as never;

  class Empty {
    createKopfOptions() {
      return undefined as never;
    }
    createKopfHealthOptions() {
      return undefined as never;
    }
  }

  it.each([
    ['useFactory of forRootAsync()', () => [KopfModule.forRootAsync({ useFactory: nothing })]],
    ['Empty.createKopfOptions()', () => [KopfModule.forRootAsync({ useClass: Empty })]],
    [
      'useFactory of forRootAsync()',
      () => [KopfHealthModule.forRootAsync({ useFactory: nothing }), KopfModule.forRoot()],
    ],
    [
      'Empty.createKopfHealthOptions()',
      () => [KopfHealthModule.forRootAsync({ useClass: Empty }), KopfModule.forRoot()],
    ],
    [
      'useFactory of forRootAsync()',
      () => [KopfAdmissionModule.forRootAsync({ useFactory: nothing }), KopfModule.forRoot()],
    ],
    [
      'useFactory of forRootAsync()',
      () => [KopfMetricsModule.forRootAsync({ useFactory: nothing }), KopfModule.forRoot()],
    ],
  ])('should be named, with what to do: %s', async (source, imports) => {
    const compiling = Test.createTestingModule({ imports: imports() }).setLogger(new MemoryLogger()).compile();
    await expect(compiling).rejects.toMatchObject({
      code: 'KOPF_OPTIONS',
      message: expect.stringContaining(`${source} has returned nothing, so return an object from it`),
    });
  });
});
