import { changeConditions, withConditions, type Condition } from './conditions.js';
import type { KubeObject } from './kube-object.js';

const EARLIER = '2020-01-01T00:00:00Z';
const NOW = Date.UTC(2021, 0, 1, 12, 0, 0, 500);
const ready: Condition = { type: 'Ready', status: 'True', reason: 'Up', message: 'm', lastTransitionTime: EARLIER };
const foreign: Condition = { ...ready, type: 'Foreign' };

describe('withConditions', () => {
  it('should add a condition with the time, to the second, and the generation', () => {
    const set = [{ type: 'Ready', status: true }];
    expect(withConditions([foreign], { set, generation: 3, now: NOW })).toEqual([
      foreign,
      {
        type: 'Ready',
        status: 'True',
        reason: 'Ready',
        message: '',
        observedGeneration: 3,
        lastTransitionTime: '2021-01-01T12:00:00Z',
      },
    ]);
  });

  it('should keep the time as long as the status is the same, and the place in the list', () => {
    const set = [{ type: 'Ready', status: 'True' as const, reason: 'Still', message: 'n' }];
    expect(withConditions([ready, foreign], { set, generation: 4, now: NOW })).toEqual([
      { ...ready, reason: 'Still', message: 'n', observedGeneration: 4 },
      foreign,
    ]);
  });

  it('should change the time with the status', () => {
    const [changed] = withConditions([ready], { set: [{ type: 'Ready', status: false }], generation: 1, now: NOW });
    expect(changed).toMatchObject({ status: 'False', lastTransitionTime: '2021-01-01T12:00:00Z' });
  });

  it('should remove conditions', () => {
    const changes = { set: [], remove: ['Ready', 'Absent'], generation: undefined, now: NOW };
    expect(withConditions([ready, foreign], changes)).toEqual([foreign]);
  });
});

describe('changeConditions', () => {
  it('should change the newest state, with the observed generation of the object where it is wanted', () => {
    const body: KubeObject = { metadata: {}, status: { phase: 'Old', conditions: [foreign] } };
    changeConditions({ set: [{ type: 'Ready', status: 'Unknown' }], observe: true, generation: 7, now: NOW })(body);
    expect(body.status).toMatchObject({
      phase: 'Old',
      observedGeneration: 7,
      conditions: [foreign, { type: 'Ready', status: 'Unknown', observedGeneration: 7 }],
    });
  });

  it('should make a status where there is none', () => {
    const body: KubeObject = { metadata: {} };
    changeConditions({ set: [{ type: 'Ready', status: true }], generation: undefined, now: NOW })(body);
    expect(body.status.conditions).toHaveLength(1);
    expect(body.status).not.toHaveProperty('observedGeneration');
  });
});
