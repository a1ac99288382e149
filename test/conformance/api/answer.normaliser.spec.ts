import { normalise } from './answer.normaliser.js';

const written = {
  apiVersion: 'a.io/v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': {} },
  manager: 'written-second',
  operation: 'Update',
  time: '2026-01-01T00:00:01Z',
};
const applied = { ...written, fieldsV1: { 'f:status': {} }, manager: 'applied-first', time: '2026-01-01T00:00:00Z' };

/** The same entry with its members in the order of Go's structure. */
function structured({ manager, operation, apiVersion, ...rest }: typeof written | typeof applied): object {
  return { manager, operation, apiVersion, ...rest };
}

const ownedBy = (...managedFields: readonly object[]) => ({ code: 200, body: { metadata: { managedFields } } });

describe('the normaliser of answers', () => {
  it('should order owners of fields alike, whatever the order of their members', () => {
    const real = normalise(ownedBy(structured(applied), structured(written)));
    expect(normalise(ownedBy(written, applied))).toEqual(real);
  });

  it('should keep what differs between owners of fields', () => {
    const other = { ...written, fieldsV1: { 'f:spec': { 'f:replicas': {} } } };
    expect(normalise(ownedBy(applied, other))).not.toEqual(normalise(ownedBy(applied, written)));
  });

  const table = (...cells: readonly unknown[]) => ({ code: 200, body: [{ object: { rows: [{ cells }] } }] });

  it('should not compare the seconds for which objects have been there', () => {
    expect(normalise(table('a', 1, '0s'))).toEqual(normalise(table('a', 1, '12s')));
  });

  it.each(['5y', '<unknown>', '10m'])('should compare other cells of tables, such as %s', (cell) => {
    expect(normalise(table('a', 1, '0s'))).not.toEqual(normalise(table('a', 1, cell)));
  });

  const invalid = (errors: readonly string[], kind = 'ConfigMap') => ({
    code: 422,
    body: { message: `${kind} "a" is invalid: [${errors.join(', ')}]` },
  });
  const [first, second] = ['data[a]: Invalid value: "a": x, y', 'data[b]: Invalid value: "b": x'];

  it('should order the errors of one map alike', () => {
    const last = 'spec.x: Required value';
    expect(normalise(invalid([second, first, last]))).toEqual(normalise(invalid([first, second, last])));
  });

  it.each([
    ['fields', 'spec.a: Required value', 'spec.b: Required value'],
    ['items', 'spec[1]: Required value', 'spec[0]: Required value'],
    ['maps', 'data[a]: Required value', 'binaryData[b]: Required value'],
  ])('should keep the order of errors of %s', (_, left, right) => {
    expect(normalise(invalid([left, right]))).not.toEqual(normalise(invalid([right, left])));
  });

  const fields = ['spec.one.kind: Invalid value: "a b": x', 'spec.one.metadata.name: Invalid value: "a/b": y, z'];

  it.each(['Widget.example.com', 'Em.c194.example.com'])('should order all errors of a custom %s alike', (kind) => {
    expect(normalise(invalid(fields, kind))).toEqual(normalise(invalid(fields.toReversed(), kind)));
  });

  it.each(['Deployment.apps', 'Ingress.networking.k8s.io', 'ClusterRole.rbac.authorization.k8s.io'])(
    'should keep the order of errors of a %s',
    (kind) => {
      expect(normalise(invalid(fields, kind))).not.toEqual(normalise(invalid(fields.toReversed(), kind)));
    },
  );
});
