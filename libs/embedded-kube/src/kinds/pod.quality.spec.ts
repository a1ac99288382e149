import { qosClass } from './pod.quality.js';

const container = (requests?: object, limits?: object): object => ({ name: 'c', resources: { requests, limits } });

describe('qosClass', () => {
  it.each([
    ['BestEffort', { containers: [container()] }],
    ['BestEffort', { containers: [container({ cpu: '0', 'ephemeral-storage': '1Gi' })] }],
    ['Burstable', { containers: [container({ cpu: '1' })] }],
    ['Burstable', { containers: [container({}, { cpu: '1' })] }],
    ['Burstable', { containers: [container({ cpu: '1', memory: '1Gi' }, { cpu: '2', memory: '1Gi' })] }],
    ['Burstable', { containers: [container({}, { cpu: '1', memory: '1Gi' }), container()] }],
    ['Burstable', { containers: [container()], initContainers: [container({ memory: '1' })] }],
    ['Guaranteed', { containers: [container({ cpu: '1000m', memory: '1024Mi' }, { cpu: '1', memory: '1Gi' })] }],
    ['Guaranteed', { containers: [container(undefined, { cpu: '1', memory: '1Gi' })] }],
    ['Guaranteed', { containers: [container()], resources: { limits: { cpu: '1', memory: '1Gi' } } }],
  ])('should be %s for %j', (expected, spec) => {
    expect(qosClass(spec)).toBe(expected);
  });
});
