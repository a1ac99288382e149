import type { KubeObject } from 'nestjs-kopf';
import { finalStateOf } from './final.state.js';

function createObject(name: string, uid: string, more: object = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', uid }, ...more };
}

describe('finalStateOf', () => {
  it('should list the leaves by their places, without what the server decides on', () => {
    const object = createObject('a', 'uid-1', { data: { size: '1', at: '2020-12-31T23:59:59Z' }, empty: [] });
    expect([...finalStateOf([object])]).toEqual([
      ['ConfigMap default/a', 'there'],
      ['ConfigMap default/a .data.at', '<time>'],
      ['ConfigMap default/a .data.size', '"1"'],
      ['ConfigMap default/a .empty', '[]'],
      ['ConfigMap default/a .metadata.name', '"a"'],
      ['ConfigMap default/a .metadata.namespace', '"default"'],
    ]);
  });

  it('should leave out what the operator notes as handled last, with the mark of its storage', () => {
    const { metadata, ...object } = createObject('a', 'uid-1');
    const noted = { 'op.example.com/last-handled-configuration': '{}', 'op.example.com/kopf-managed': 'yes' };
    const annotations = { ...noted, 'op.example.com/other': 'kept' };
    const places = [...finalStateOf([{ ...object, metadata: { ...metadata, annotations } }]).keys()];
    expect(places.filter((place) => place.includes('annotations'))).toEqual([
      'ConfigMap default/a .metadata.annotations.op.example.com/other',
    ]);
  });

  it('should name what has an identity in each run, also of an object that two runs have in common', () => {
    const common = createObject('common', 'uid-0', { data: { owner: 'uid-1' } });
    const place = 'ConfigMap default/common .data.owner';
    expect(finalStateOf([common, createObject('a', 'uid-1')]).get(place)).toBe('<uid of ConfigMap default/a>');
    expect(finalStateOf([common, createObject('b', 'uid-1')]).get(place)).toBe('<uid of ConfigMap default/b>');
    expect(finalStateOf([common]).get(place)).toBe('"uid-1"');
  });

  it('should put objects with generated names in the order of their contents', () => {
    const generated = (name: string, size: number): KubeObject => {
      const object = createObject(name, name, { data: { size } });
      return { ...object, metadata: { ...object.metadata, generateName: 'disk-' } as KubeObject['metadata'] };
    };
    const [one, other] = [generated('disk-x', 1), generated('disk-y', 2)];
    expect(finalStateOf([one, other])).toEqual(finalStateOf([generated('disk-p', 2), generated('disk-q', 1)]));
    expect(finalStateOf([other, one]).get('ConfigMap default/disk-* #2 .data.size')).toBe('2');
  });
});
