import { HANDLERS_METADATA, type HandlerMetadata } from '../../libs/kopf/src/decorators/handler.metadata.js';
import { Draw } from './targets/random.draw.js';
import { drawLogin } from './targets/random.login.js';
import { drawOperator, type RandomKind } from './targets/random.operator.js';

/** The kinds of handlers that a class has. */
function handlersOf({ prototype }: { readonly prototype: object }): readonly string[] {
  return Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([, { value }]) => {
    const handlers = typeof value === 'function' ? Reflect.getMetadata(HANDLERS_METADATA, value as object) : undefined;
    return ((handlers ?? []) as readonly HandlerMetadata[]).map(({ kind }) => kind);
  });
}

describe('Random operators', () => {
  it('should have handlers of all kinds, but for those that no simulation calls, and for conversions', () => {
    const kinds: readonly RandomKind[] = ['plain', 'varied', 'mixed', 'related', 'admitting'];
    const drawn = kinds.flatMap((kind) =>
      Array.from({ length: 30 }, (_, seed) => handlersOf(drawOperator(new Draw(seed), kind).type)).flat(),
    );
    const all = new Set([...drawn, ...handlersOf(drawLogin(new Draw(1)))]);
    expect([...all].sort()).toEqual([
      'child',
      'cleanup',
      'create',
      'daemon',
      'delete',
      'event',
      'field',
      'index',
      'login',
      'mutate',
      'reference',
      'resume',
      'startup',
      'timer',
      'update',
      'validate',
    ]);
  });
});
