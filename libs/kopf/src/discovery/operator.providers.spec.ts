import { Inject, Injectable, type Provider } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { operatorTokenOf } from '../kopf.tokens.js';
import { bindToOperator } from './operator.providers.js';

const NAME = Symbol('NAME');
const MADE = Symbol('MADE');

@Injectable()
class Part {
  constructor(@Inject(NAME) readonly name: string) {}
}

@Injectable()
class Whole {
  constructor(
    @Inject(Part) readonly part: Part,
    @Inject(NAME) readonly name: string,
    @Inject(MADE) readonly made: string,
    @Inject('FOREIGN') readonly foreign: string,
  ) {}
}

const PROVIDERS: Provider[] = [
  Part,
  Whole,
  { provide: MADE, useFactory: ({ name }: Part) => `made for ${name}`, inject: [Part] },
];

describe('bindToOperator', () => {
  it('should leave the providers of the operator without a name as they are', () => {
    expect(bindToOperator('default', PROVIDERS)).toEqual(PROVIDERS);
  });

  it('should let the providers of several operators be in one module', async () => {
    const named = ['edge', 'west'].flatMap((name) => [
      { provide: operatorTokenOf(name, NAME), useValue: name },
      ...bindToOperator(name, PROVIDERS, [NAME]),
    ]);
    const module = await Test.createTestingModule({
      providers: [
        { provide: NAME, useValue: 'default' },
        { provide: 'FOREIGN', useValue: 'foreign' },
        ...PROVIDERS,
        ...named,
      ],
    }).compile();
    for (const name of ['default', 'edge', 'west']) {
      const whole = module.get<Whole>(operatorTokenOf(name, Whole) as string);
      expect(whole).toMatchObject({ name, made: `made for ${name}`, foreign: 'foreign' });
      expect(whole.part).toBe(module.get(operatorTokenOf(name, Part) as string));
    }
  });
});
