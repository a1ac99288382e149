import { Inject, Injectable, Module, type DynamicModule } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { InjectOwn, operatorTokenOf, ownTokenOf } from '../kopf.tokens.js';
import { provideOwn, provideService } from './operator.providers.js';

const NAME = Symbol('NAME');
const MADE = Symbol('MADE');

@Injectable()
class Part {
  constructor(@InjectOwn(NAME) readonly name: string) {}
}

@Injectable()
class Internal {
  constructor(@InjectOwn(Part) readonly part: Part) {}
}

@Injectable()
class Whole {
  constructor(
    @InjectOwn(Part) readonly part: Part,
    @InjectOwn(NAME) readonly name: string,
    @InjectOwn(MADE) readonly made: string,
    @Inject(Internal) readonly internal: Internal,
    @Inject('FOREIGN') readonly foreign: string,
  ) {}
}

/** A module of one operator, as those of the library are. */
@Module({})
class OperatorModule {
  static register(name: string): DynamicModule {
    return {
      module: OperatorModule,
      global: true,
      providers: [
        provideService(name, { provide: NAME, useValue: name }),
        provideService(name, Part),
        provideService(name, {
          provide: MADE,
          useFactory: ({ name: own }: Part) => `made for ${own}`,
          inject: [ownTokenOf(Part)],
        }),
        provideService(name, Whole),
        Internal,
        { provide: 'FOREIGN', useValue: 'foreign' },
        ...provideOwn(name, [NAME, Part, MADE]),
      ],
      exports: [NAME, Part, MADE, Whole].map((service) => operatorTokenOf(name, service)),
    };
  }
}

const build = (...names: string[]) =>
  Test.createTestingModule({ imports: names.map((name) => OperatorModule.register(name)) });

describe('The modules of several operators', () => {
  it('should be instances of one module, each with its own services', async () => {
    const module = await build('default', 'edge', 'west').compile();
    for (const name of ['default', 'edge', 'west']) {
      const whole = module.get<Whole>(operatorTokenOf(name, Whole) as string);
      expect(whole).toMatchObject({ name, made: `made for ${name}`, foreign: 'foreign' });
      expect(whole.part).toBe(module.get(operatorTokenOf(name, Part) as string));
      expect(whole.internal.part).toBe(whole.part);
    }
  });

  it.each([
    ['default', 'edge'],
    ['edge', 'default'],
  ])('should leave the class of a service to the operator without a name: %s, %s', async (...names) => {
    const module = await build(...names).compile();
    expect(module.get(Whole).name).toBe('default');
    expect(module.get(operatorTokenOf('default', Whole) as typeof Whole)).toBe(module.get(Whole));
    const named = await build('edge').compile();
    expect(() => named.get(Whole)).toThrow(/could not find/);
  });

  it('should have a service replaced for one operator only, also where the module itself injects it', async () => {
    const module = await build('default', 'edge')
      .overrideProvider(NAME)
      .useValue('replaced')
      .overrideProvider(operatorTokenOf('edge', Part))
      .useValue({ name: 'substitute' })
      .compile();
    expect(module.get(Whole)).toMatchObject({ name: 'replaced', made: 'made for replaced' });
    const edge = module.get<Whole>(operatorTokenOf('edge', Whole) as string);
    expect(edge).toMatchObject({
      name: 'edge',
      made: 'made for substitute',
      internal: { part: { name: 'substitute' } },
    });
  });

  it('should not find the services of another operator where a module does not list one', async () => {
    @Module({ providers: [Internal] })
    class Incomplete {}
    const compiling = Test.createTestingModule({ imports: [OperatorModule.register('default'), Incomplete] }).compile();
    await expect(compiling).rejects.toThrow(/Part of the operator of the module/);
  });
});
