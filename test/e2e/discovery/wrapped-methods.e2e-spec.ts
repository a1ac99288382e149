import { applyDecorators, Injectable, SetMetadata, UseGuards, type CanActivate } from '@nestjs/common';
import { KopfBootstrapError, OnCreate, OnDelete, OnEvent, OnUpdate, Timer, type ChangeContext } from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

let calls: string[];

/** Replaces a method by another function without its metadata, as many such decorators do. */
function Wrap(name = 'wrapped'): MethodDecorator {
  return (_target, _key, descriptor: any) => {
    const original = descriptor.value;
    descriptor.value = function (this: unknown, ...args: unknown[]) {
      calls.push(name);
      return original.apply(this, args);
    };
  };
}

/** Replaces a method by returning another descriptor. */
function Replace(): MethodDecorator {
  return ((_target: object, _key: string, { value, ...rest }: any) => ({
    ...rest,
    value(this: unknown, ...args: unknown[]) {
      calls.push('replaced');
      return value.apply(this, args);
    },
  })) as MethodDecorator;
}

/** Binds a method to its instance by an accessor. */
function Bound(): MethodDecorator {
  return ((_target: object, _key: string, { value }: any) => ({
    configurable: true,
    get(this: object) {
      return value.bind(this);
    },
  })) as MethodDecorator;
}

/** Wraps all methods of a class, as tracers do. */
function WrapAll(): ClassDecorator {
  return ({ prototype }) => {
    for (const name of Object.getOwnPropertyNames(prototype).filter((each) => each !== 'constructor')) {
      const original = prototype[name];
      prototype[name] = function (this: unknown, ...args: unknown[]) {
        calls.push(`all of ${name}`);
        return original.apply(this, args);
      };
    }
  };
}

@Injectable()
class Refusing implements CanActivate {
  canActivate(): boolean {
    calls.push('guard');
    return false;
  }
}

describe('Handlers whose method another decorator has replaced', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    calls = [];
    harness = await OperatorHarness.start();
  });

  async function run(type: new () => object): Promise<readonly string[]> {
    await harness.run(type);
    await harness.create('a');
    await harness.advance(1);
    return calls;
  }

  it('should be called through it: by a decorator above that of the handler', async () => {
    class Operator {
      @Wrap()
      @OnCreate(...KEX)
      create({ name }: ChangeContext) {
        calls.push(`create ${name}`);
      }
    }
    expect(await run(Operator)).toEqual(['wrapped', 'create a']);
  });

  it('should be called through it: by one below, between, and by several', async () => {
    class Operator {
      @Wrap('topmost')
      @OnUpdate(...KEX)
      @Replace()
      @OnCreate(...KEX)
      @Wrap('lowest')
      create({ reason }: ChangeContext) {
        calls.push(`${reason}`);
      }
    }
    expect(await run(Operator)).toEqual(['topmost', 'replaced', 'lowest', 'create']);
    calls.length = 0;
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(1);
    expect(calls).toEqual(['topmost', 'replaced', 'lowest', 'update']);
  });

  it('should be called through it: by composed decorators, and by one of the class', async () => {
    const Created = () => applyDecorators(OnCreate(...KEX), Wrap('composed'), SetMetadata('own', true));
    @WrapAll()
    class Operator {
      @Created()
      create({ name }: ChangeContext) {
        calls.push(`create ${name}`);
      }
    }
    expect(await run(Operator)).toEqual(['all of create', 'composed', 'create a']);
  });

  it('should be called through it: by a proxy', async () => {
    const Proxied: MethodDecorator = (_target, _key, descriptor: any) => {
      descriptor.value = new Proxy(descriptor.value, {
        apply: (method, self, args) => (calls.push('proxy'), Reflect.apply(method, self, args)),
      });
    };
    class Operator {
      @Proxied
      @OnEvent(...KEX)
      event({ name }: { name: string }) {
        calls.push(`event ${name}`);
      }
    }
    expect(await run(Operator)).toContain('event a');
    expect(calls[0]).toBe('proxy');
  });

  it('should not be called without their guards: these are above, or it is an error at the start', async () => {
    class Guarded {
      @UseGuards(Refusing)
      @Wrap()
      @OnEvent(...KEX)
      event() {
        calls.push('event');
      }
    }
    expect(await run(Guarded)).toEqual(['guard']);
    class Unguarded {
      @Wrap()
      @UseGuards(Refusing)
      @Timer(...KEX, { interval: 10 })
      tick() {}
    }
    await expect(harness.run(Unguarded)).rejects.toThrow(
      /Unguarded\.tick \(@Timer\): another decorator has replaced the method, so Nest does not find its guards/,
    );
  });

  it('should be inherited, and be called by the method that overrides them if this has a decorator itself', async () => {
    class Base {
      @Wrap('base')
      @OnCreate(...KEX)
      create({ name }: ChangeContext) {
        calls.push(`base ${name}`);
      }

      @Wrap('base')
      @OnDelete(...KEX)
      remove() {}
    }
    class Derived extends Base {
      @Wrap('derived')
      @OnCreate(...KEX)
      override create({ name }: ChangeContext) {
        calls.push(`derived ${name}`);
      }
    }
    expect(await run(Derived)).toEqual(['derived', 'derived a']);
    calls.length = 0;
    await harness.delete('a');
    await harness.advance(1);
    expect(calls).toEqual(['base']);
  });

  it('should be named if they are overridden by a method with another decorator only', async () => {
    class Base {
      @Wrap()
      @OnCreate(...KEX)
      create() {}
    }
    class Derived extends Base {
      @Wrap()
      override create() {}
    }
    expect(await run(Derived)).toEqual([]);
    expect(harness.logger.messages('warn')).toContainEqual(
      expect.stringMatching(/^Derived\.create overrides Base\.create, which has @OnCreate, .* is never called/),
    );
  });

  it('should fail the start, with their names, if an accessor is in their place', async () => {
    class Operator {
      @Bound()
      @OnCreate(...KEX)
      create() {}
    }
    const starting = harness.run(Operator);
    await expect(starting).rejects.toThrow(KopfBootstrapError);
    await expect(starting).rejects.toThrow(
      /Operator\.create \(@OnCreate\): another decorator has put something else in the place of the method/,
    );
  });
});
