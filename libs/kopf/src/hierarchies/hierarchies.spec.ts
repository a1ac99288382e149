import { adopt } from './adopt.js';
import { label, type LabelOptions } from './labels.js';
import { adjustNamespace, harmonizeNaming, type HarmonizeOptions } from './naming.js';
import { appendOwnerReference, removeOwnerReference } from './owner-references.js';

const owner = {
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  metadata: { name: 'kopf-example-1', namespace: 'default', uid: 'u-1', labels: { somelabel: 'somevalue' } },
};
const reference = {
  controller: true,
  blockOwnerDeletion: true,
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  name: 'kopf-example-1',
  uid: 'u-1',
};

describe('label', () => {
  it.each<[string, object, Record<string, string>, LabelOptions, object]>([
    ['a bare object', {}, { l: '1' }, {}, { metadata: { labels: { l: '1' } } }],
    ['no labels', {}, {}, {}, {}],
    [
      'a label that is there',
      { metadata: { labels: { l: '0', m: 'x' } } },
      { l: '1', n: 'y' },
      {},
      { metadata: { labels: { l: '0', m: 'x', n: 'y' } } },
    ],
    [
      'a label to be forced',
      { metadata: { labels: { l: '0' } } },
      { l: '1' },
      { forced: true },
      { metadata: { labels: { l: '1' } } },
    ],
    [
      'a nested template',
      { spec: { template: {} } },
      { l: '1' },
      { nested: 'spec.template' },
      { metadata: { labels: { l: '1' } }, spec: { template: { metadata: { labels: { l: '1' } } } } },
    ],
    [
      'several nested templates, forced',
      { a: { metadata: { labels: { l: '0' } } }, b: { c: {} } },
      { l: '1' },
      { nested: ['a', 'b.c'], forced: true },
      {
        metadata: { labels: { l: '1' } },
        a: { metadata: { labels: { l: '1' } } },
        b: { c: { metadata: { labels: { l: '1' } } } },
      },
    ],
    [
      'a nested list of templates',
      { spec: { templates: [{}, { metadata: { labels: { l: '0' } } }, null] } },
      { l: '1' },
      { nested: 'spec.templates' },
      {
        metadata: { labels: { l: '1' } },
        spec: { templates: [{ metadata: { labels: { l: '1' } } }, { metadata: { labels: { l: '0' } } }, null] },
      },
    ],
    [
      'nested templates that are not there',
      { spec: { text: 'x', none: null } },
      { l: '1' },
      { nested: ['spec.template', 'spec.text', 'spec.text.deeper', 'spec.none', 'status.template'] },
      { metadata: { labels: { l: '1' } }, spec: { text: 'x', none: null } },
    ],
  ])('should set the labels of %s', (_, object, labels, options, expected) => {
    label(object, labels, options);
    expect(object).toEqual(expected);
  });

  it('should not share labels between objects', () => {
    const objects = [{}, {}] as { metadata?: { labels?: object } }[];
    label(new Set(objects), { l: '1' });
    expect(objects[0]).toEqual(objects[1]);
    expect(objects[0].metadata?.labels).not.toBe(objects[1].metadata?.labels);
  });
});

describe('harmonizeNaming', () => {
  it.each<[object, HarmonizeOptions, object]>([
    [{}, {}, { generateName: 'x-' }],
    [{}, { strict: true }, { name: 'x' }],
    [{ name: 'own' }, {}, { name: 'own' }],
    [{ generateName: 'own-' }, {}, { generateName: 'own-' }],
    [{ name: 'own' }, { forced: true }, { generateName: 'x-' }],
    [{ generateName: 'own-' }, { forced: true, strict: true }, { name: 'x' }],
  ])('should make of %j with %j: %j', (metadata, options, expected) => {
    const object = { metadata };
    harmonizeNaming(object, 'x', options);
    expect(object.metadata).toEqual(expected);
  });

  it('should refuse an empty name', () => {
    expect(() => harmonizeNaming({}, '')).toThrow(TypeError);
  });
});

describe('adjustNamespace', () => {
  it('should keep a namespace that is there, unless forced', () => {
    const objects = [{}, { metadata: { namespace: 'own' } }];
    adjustNamespace(objects, 'x');
    expect(objects).toEqual([{ metadata: { namespace: 'x' } }, { metadata: { namespace: 'own' } }]);
    adjustNamespace(objects, 'y', { forced: true });
    expect(objects).toEqual([{ metadata: { namespace: 'y' } }, { metadata: { namespace: 'y' } }]);
  });
});

describe('appendOwnerReference', () => {
  it('should add the reference once, beside others', () => {
    const object = { metadata: { ownerReferences: [{ uid: 'other' }] } };
    appendOwnerReference(object, { owner });
    appendOwnerReference(object, { owner, controller: false });
    expect(object.metadata.ownerReferences).toEqual([{ uid: 'other' }, reference]);
  });

  it('should be neither controlling nor blocking if told so', () => {
    const object: { metadata?: object } = {};
    appendOwnerReference(object, { owner, controller: false, blockOwnerDeletion: false });
    expect(object.metadata).toEqual({
      ownerReferences: [{ ...reference, controller: false, blockOwnerDeletion: false }],
    });
  });

  it.each(['apiVersion', 'kind', 'name', 'uid'])('should refuse an owner without %s', (member) => {
    const { name, uid } = owner.metadata;
    const incomplete = { ...owner, metadata: { name, uid, [member]: undefined }, [member]: undefined };
    expect(() => appendOwnerReference({}, { owner: incomplete })).toThrow('An owner needs its apiVersion, kind');
  });

  it('should say what to do outside of handlers', () => {
    expect(() => appendOwnerReference({})).toThrow('give one, or call the function within a handler');
  });
});

describe('removeOwnerReference', () => {
  it('should remove the reference to the owner only', () => {
    const object = { metadata: { ownerReferences: [{ uid: 'other' }, reference] } };
    removeOwnerReference(object, { owner });
    expect(object.metadata.ownerReferences).toEqual([{ uid: 'other' }]);
  });

  it('should leave alone what has no such reference', () => {
    const object = { metadata: { name: 'x' } };
    removeOwnerReference([object], { owner });
    expect(object).toEqual({ metadata: { name: 'x' } });
  });
});

describe('adopt', () => {
  it('should do all of it, and return what it was given', () => {
    const objects = [{ kind: 'Job' }, { kind: 'Deployment', spec: { template: {} } }];
    expect(adopt(objects, { owner, strict: true, forced: true, nested: ['spec.template'] })).toBe(objects);
    const labels = { somelabel: 'somevalue' };
    const metadata = { ownerReferences: [reference], name: 'kopf-example-1', namespace: 'default', labels };
    expect(objects).toEqual([
      { kind: 'Job', metadata },
      { kind: 'Deployment', metadata, spec: { template: { metadata: { labels } } } },
    ]);
  });

  it('should do it for all objects of all lists, and leave out what is missing', () => {
    const [a, b, c] = [{ kind: 'A' }, { kind: 'B' }, { kind: 'C' }];
    adopt([[a, undefined], new Set([b]), null, c] as object[], { owner, strict: true });
    const metadata = expect.objectContaining({ name: 'kopf-example-1', ownerReferences: [reference] });
    expect([a, b, c]).toEqual([
      { kind: 'A', metadata },
      { kind: 'B', metadata },
      { kind: 'C', metadata },
    ]);
  });

  it("should give no namespace that the cluster's own object does not have, and no labels", () => {
    const { namespace: _, labels: __, ...metadata } = owner.metadata;
    const object: { metadata?: object } = {};
    adopt(object, { owner: { ...owner, metadata } });
    expect(object.metadata).toEqual({ ownerReferences: [reference], generateName: 'kopf-example-1-' });
  });
});
