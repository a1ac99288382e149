import { readManifests } from './test-manifests.js';

/** An object as client-node and generated types describe it, without other fields than these. */
interface Widget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { name: string };
  readonly spec: { readonly size: number };
}

const head = { apiVersion: 'example.com/v1', kind: 'Widget' };
const written = { ...head, metadata: { name: 'a' }, spec: { size: 1 } };

describe('readManifests', () => {
  it('should take objects as they are written, objects of interfaces, texts, and lists of these', () => {
    const widget: Widget = written;
    const text = 'apiVersion: example.com/v1\nkind: Widget\nmetadata: { name: a }\nspec: { size: 1 }\n';
    const list = { apiVersion: 'v1', kind: 'List', metadata: {}, items: [written, widget] };
    expect(readManifests({ ...head, metadata: { name: 'a' }, spec: { size: 1 } })).toEqual([written]);
    expect(readManifests(widget)).toEqual([written]);
    expect(readManifests(`${text}---\n${text}`)).toEqual([written, written]);
    expect(readManifests([widget, text, list])).toEqual([written, written, written, written]);
  });

  it.each([
    ['no kind', 'apiVersion: v1\nmetadata: { name: a }'],
    ['no version', 'kind: Pod\nmetadata: { name: a }'],
    ['no name', 'apiVersion: v1\nkind: Pod\nmetadata: {}'],
  ])('should throw for an object with %s', (_what, text) => {
    expect(() => readManifests(text)).toThrow('A manifest needs apiVersion, kind, and metadata.name. Got {');
  });
});
