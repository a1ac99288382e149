import { TypedSchema } from '../typed/typed.schema.js';
import { BuiltinTypes } from './builtin.type.js';
import { fieldsOf } from './value.fields.js';
import { validateValue } from './value.validation.js';
import { printPath } from './path.element.js';
import { FIELD_TRAITS } from './merge-traits.data.js';
import { METADATA_TYPE } from './metadata.type.js';
import type { ValueType } from './value.type.js';

const types = new BuiltinTypes(new TypedSchema());
const print = (value: object, type: ValueType): string[] => [...fieldsOf(value, type).paths()].map(printPath);

describe('the types of built-in kinds', () => {
  it('should be merged as the server does', () => {
    const deployment = types.ofKind({ group: 'apps', version: 'v1', kind: 'Deployment' });
    const container = { name: 'main', ports: [{ containerPort: 80 }], resources: { limits: { cpu: 1 } } };
    const spec = { containers: [container], nodeSelector: { a: 'b' }, tolerations: [{ key: 'x' }] };
    const value = { kind: 'Deployment', spec: { selector: { matchLabels: {} }, template: { spec } } };
    expect(validateValue(value, deployment)).toEqual([]);
    expect(print(value, deployment)).toEqual([
      '.kind',
      '.spec.selector',
      '.spec.template.spec.nodeSelector',
      '.spec.template.spec.tolerations',
      '.spec.template.spec.containers[name="main"]',
      '.spec.template.spec.containers[name="main"].name',
      '.spec.template.spec.containers[name="main"].ports[containerPort=80,protocol="TCP"]',
      '.spec.template.spec.containers[name="main"].ports[containerPort=80,protocol="TCP"].containerPort',
      '.spec.template.spec.containers[name="main"].resources.limits.cpu',
    ]);
  });

  it('should override what a type says where a field says otherwise', () => {
    const volume = types.ofKind({ group: '', version: 'v1', kind: 'PersistentVolume' });
    expect(print({ spec: { claimRef: { name: 'a' } } }, volume)).toEqual(['.spec.claimRef.name']);
  });

  it('should know the members that come from inlined types', () => {
    const pod = types.ofKind({ group: '', version: 'v1', kind: 'Pod' });
    expect(validateValue({ spec: { volumes: [{ name: 'v', emptyDir: {} }] } }, pod)).toEqual([]);
    expect(validateValue({ spec: { nope: 1 } }, pod)).toEqual(['.spec.nope: field not declared in schema']);
  });

  it('should contain themselves where they do', () => {
    const definition = types.ofKind({ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' });
    const schema = { properties: { a: { properties: { b: { type: 'string' } } } } };
    const value = { spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }] } };
    expect(validateValue(value, definition)).toEqual([]);
  });

  it('should take everything of a kind that is not known', () => {
    const unknown = types.ofKind({ group: 'x', version: 'v1', kind: 'Y' });
    expect(print({ spec: { a: 1 }, metadata: { finalizers: ['x/y'] } }, unknown)).toEqual([
      '.spec',
      '.metadata.finalizers[="x/y"]',
      '.spec.a',
    ]);
  });
});

describe('the type of metadata', () => {
  it.each(['finalizers', 'ownerReferences'])('should be what the server says of %s', (field) => {
    expect(METADATA_TYPE.map!.field(field)!.list).toMatchObject(FIELD_TRAITS['meta.v1.ObjectMeta']![field]!);
  });
});
