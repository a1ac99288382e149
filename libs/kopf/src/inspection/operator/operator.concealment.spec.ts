import { makeResource } from '../../../../../test/support/objects/resources.js';
import { KopfSettings } from '../../settings/kopf.settings.js';
import { OperatorConcealment } from './operator.concealment.js';

const SECRETS = makeResource({ group: '', version: 'v1', plural: 'secrets', kind: 'Secret' });
const EXAMPLES = makeResource();
const VALUE = 'hunter2';

describe('OperatorConcealment', () => {
  const concealment = new OperatorConcealment(new KopfSettings(), [{ resource: 'kopfexamples', fields: ['spec.pin'] }]);

  it('should show no value of a memo of an object with redacted values, whatever its name is', () => {
    const memo = {
      seen: VALUE,
      list: [VALUE, { deep: VALUE, count: 4711 }],
      error: new Error(`Cannot use ${VALUE}.`),
      at: new Date(0),
      big: 12n,
      byValue: new Map([[VALUE, VALUE]]),
      all: new Set([VALUE]),
      isDone: true,
      none: null,
    };
    const shown = {
      seen: '***',
      list: ['***', { deep: '***', count: '***' }],
      error: '***',
      at: '***',
      big: '***',
      byValue: '(1 entries)',
      all: ['***'],
      isDone: true,
      none: null,
    };
    expect(concealment.data(memo, SECRETS)).toEqual(shown);
    expect(concealment.data(memo, EXAMPLES)).toEqual(shown);
    expect(concealment.data({ seen: 'blue' }, makeResource({ plural: 'others' }))).toEqual({ seen: 'blue' });
  });

  it('should show no value of a Secret that a handler keeps in the memo of another object', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { pin: VALUE }, type: 'Opaque' };
    const other = makeResource({ plural: 'others' });
    const shown = concealment.data(
      { found: secret, all: [{ ...secret, data: undefined, stringData: { a: VALUE } }] },
      other,
    );
    expect(JSON.stringify(shown)).not.toContain(VALUE);
    expect(shown).toMatchObject({ found: { kind: 'Secret', metadata: { name: 'a' } } });
  });
});
