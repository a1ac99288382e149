import { Inject, Injectable, Module, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { KopfOptionsError } from '../common/kopf.errors.js';
import { provideOptions, type OptionsSources } from './options.providers.js';

interface Options {
  readonly size?: number;
}

interface OptionsFactory {
  createOptions(): Options | Promise<Options>;
}

const SIZE = Symbol('SIZE');
const OPTIONS = Symbol('OPTIONS');
const SIZE_PROVIDER = { provide: SIZE, useValue: 5 };

@Injectable()
class SizedOptions implements OptionsFactory {
  constructor(@Inject(SIZE) private readonly size: number) {}

  async createOptions(): Promise<Options> {
    return { size: this.size };
  }
}

@Module({ providers: [SIZE_PROVIDER, SizedOptions], exports: [SizedOptions] })
class SizedModule {}

describe('provideOptions', () => {
  const provide = (sources: OptionsSources<Options, OptionsFactory>) =>
    provideOptions(sources, {
      provide: OPTIONS,
      module: 'SizeModule',
      method: 'createOptions',
      complete: ({ size = 1 }: Options) => ({ doubled: size * 2 }),
    });
  const read = async (sources: OptionsSources<Options, OptionsFactory>, imports: Type[] = []) => {
    const providers = [SIZE_PROVIDER, ...provide(sources)];
    return (await Test.createTestingModule({ imports, providers }).compile()).get<unknown>(OPTIONS);
  };

  it('should complete what a function makes of what is injected', async () => {
    expect(await read({ useFactory: (size: number) => ({ size }), inject: [SIZE] })).toEqual({ doubled: 10 });
    expect(await read({ useFactory: async () => ({}) })).toEqual({ doubled: 2 });
  });

  it('should complete what a class makes, which is created or is there already', async () => {
    expect(await read({ useClass: SizedOptions })).toEqual({ doubled: 10 });
    expect(await read({ useExisting: SizedOptions }, [SizedModule])).toEqual({ doubled: 10 });
  });

  it('should name what returns nothing, or what is missing', async () => {
    class Nothing implements OptionsFactory {
      createOptions() {
        return undefined as never;
      }
    }
    await expect(read({ useFactory: () => undefined as never })).rejects.toThrow(
      new KopfOptionsError(
        [
          'useFactory of forRootAsync() has returned nothing, so return an object from it, which is empty if the defaults are right',
        ],
        'SizeModule',
      ),
    );
    await expect(read({ useClass: Nothing })).rejects.toThrow('Nothing.createOptions() has returned nothing');
    expect(() => provide({})).toThrow('SizeModule.forRootAsync() needs one of useFactory, useClass, and useExisting.');
  });
});
