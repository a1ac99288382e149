import { VirtualClock } from 'nestjs-kopf/testing';
import { formatTimeline } from '../report/report.text.js';
import { Timeline } from './timeline.js';

const OPERATOR = { kind: 'operator', name: 'operator', replica: 1, process: 2 } as const;

function configMap(fields: object, metadata: object = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns', ...metadata }, ...fields };
}

function changeOf(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: object, previous?: object, resource = 'configmaps') {
  return { type, resource, object, previous, namespace: 'ns', name: 'a', userAgent: '' } as never;
}

describe('the timeline', () => {
  it('should note who has done what, and when', async () => {
    const clock = new VirtualClock();
    const timeline = new Timeline(clock);
    timeline.note('user', 'applies something', { type: 'operation' });
    await clock.advance(1500);
    timeline.note(OPERATOR, 'calls it', { type: 'call', call: { id: 'create', reason: 'create', attempt: 1 } });
    timeline.note('fault', 'all is over');
    timeline.note('garbage collector', 'collects');
    expect(timeline.events()).toEqual([
      { number: 1, time: 0, type: 'operation', actor: { kind: 'user', name: 'user' }, text: 'applies something' },
      {
        number: 2,
        time: 1.5,
        type: 'call',
        actor: OPERATOR,
        text: 'calls it',
        call: { id: 'create', reason: 'create', attempt: 1 },
      },
      { number: 3, time: 1.5, type: 'note', actor: { kind: 'fault', name: 'fault' }, text: 'all is over' },
      { number: 4, time: 1.5, type: 'note', actor: { kind: 'cluster', name: 'garbage collector' }, text: 'collects' },
    ]);
  });

  it('should have the fields of an object that differ, without those of the server', () => {
    const timeline = new Timeline(new VirtualClock());
    const previous = configMap({ data: { a: '1', b: '2' } }, { resourceVersion: '1', labels: { old: 'x' } });
    const object = configMap({ data: { a: '2', b: '2' } }, { resourceVersion: '2', annotations: { 'e.com/c': '3' } });
    timeline.noteChange(OPERATOR, changeOf('MODIFIED', object, previous), { number: 7, hiddenFrom: ['operator'] });
    const [event] = timeline.events();
    expect(event).toMatchObject({
      type: 'change',
      text: 'modified ConfigMap ns/a (change 7, which operator cannot see)',
      object: { kind: 'ConfigMap', namespace: 'ns', name: 'a' },
      change: { number: 7, type: 'modified', resource: 'configmaps', hiddenFrom: ['operator'] },
    });
    expect(event!.change!.fields).toEqual([
      { path: ['metadata', 'annotations', 'e.com/c'], old: null, new: '3' },
      { path: ['metadata', 'labels', 'old'], old: 'x', new: null },
      { path: ['data', 'a'], old: '1', new: '2' },
    ]);
    expect(formatTimeline([event!]).split('\n')).toEqual([
      '     0.000 s  operator  modified ConfigMap ns/a (change 7, which operator cannot see)',
      '                          .metadata.annotations[e.com/c]: absent → "3"',
      '                          .metadata.labels.old: "x" → absent',
      '                          .data.a: "1" → "2"',
    ]);
  });

  it('should be plain data, also where an object has integers that numbers cannot hold', () => {
    const timeline = new Timeline(new VirtualClock());
    const previous = configMap({ spec: { id: 9007199254740993n, ids: [] } });
    const object = configMap({ spec: { id: 9007199254740995n, ids: [{ id: 9007199254740997n }] } });
    timeline.noteChange('user', changeOf('MODIFIED', object, previous), { number: 1, hiddenFrom: [] });
    expect(JSON.parse(JSON.stringify(timeline.events()))[0].change.fields).toEqual([
      { path: ['spec', 'id'], old: '9007199254740993', new: '9007199254740995' },
      { path: ['spec', 'ids'], old: [], new: [{ id: '9007199254740997' }] },
    ]);
  });

  it('should show the fields of new objects, none of deleted ones, and no values of Secrets', () => {
    const timeline = new Timeline(new VirtualClock());
    const secret = { ...configMap({ data: { password: 'c2VjcmV0' }, type: 'Opaque' }), kind: 'Secret' };
    timeline.noteChange('user', changeOf('ADDED', secret, undefined, 'secrets'), { number: 1, hiddenFrom: [] });
    timeline.noteChange('user', changeOf('DELETED', secret, secret, 'secrets'), { number: 2, hiddenFrom: [] });
    const [added, deleted] = timeline.events();
    expect(added!.change!.fields).toContainEqual({ path: ['data', 'password'], old: null, new: '***' });
    expect(added!.change!.fields).toContainEqual({ path: ['type'], old: null, new: 'Opaque' });
    expect(JSON.stringify(added)).not.toContain('c2VjcmV0');
    expect(deleted!.change).toMatchObject({ type: 'deleted', fields: [] });
  });
});
