import type { KubeObject } from './kube-object.js';
import { pendingTransformations, type FieldTransformation, type UnconfirmedChanges } from './patch-content.js';
import { ofStatusOnly } from './transformations.js';

const body = (spec: object): KubeObject => ({ metadata: { name: 'a', resourceVersion: '2' }, spec }) as KubeObject;
const step = (): FieldTransformation => () => undefined;

const [first, second, later] = [step(), step(), step()];

function lost(changed: Record<string, number>, transformations: readonly FieldTransformation[]): UnconfirmedChanges {
  const changes = Object.entries(changed).map(([field, value]) => ['add', ['spec', field], undefined, value] as const);
  return { changes, version: '1', transformations, rest: [] };
}

describe('pendingTransformations', () => {
  it.each([
    ['all, where no answer was lost', [first, second], [], { a: 1 }, [first, second]],
    ['none that the object shows', [first, second], [lost({ a: 1 }, [first, second])], { a: 1 }, []],
    ['those that are newer', [first, later], [lost({ a: 1 }, [first])], { a: 1 }, [later]],
    ['all, if the object shows a part of the changes', [first], [lost({ a: 1, b: 2 }, [first])], { a: 1 }, [first]],
    ['those of other answers', [first, second], [lost({ b: 2 }, [second]), lost({ a: 1 }, [first])], { b: 2 }, [first]],
    ['what was never sent with them', [later], [lost({ a: 1 }, [first])], { a: 1 }, [later]],
  ])('should return %s', (_, steps, unconfirmed, spec, expected) => {
    expect(pendingTransformations(steps, unconfirmed, body(spec))).toEqual(expected);
  });

  it('should return what is left for the status, of those transformations only that are to be sent', () => {
    const [ofFirst] = ofStatusOnly([first]);
    const unconfirmed = [{ ...lost({ a: 1 }, [first, second]), rest: ofStatusOnly([first, second]) }];
    const pending = pendingTransformations([first], unconfirmed, body({ a: 1 }));
    expect(pending.map(({ origin }) => origin)).toEqual([ofFirst.origin]);
  });
});
