import { warnOfPod } from './pod.warnings.js';

const container = { name: 'c', image: 'i' };

describe('warnOfPod', () => {
  it.each<[string, object, string[]]>([
    ['nothing that is unusual', {}, []],
    [
      'labels of nodes that have newer names',
      { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } },
      ['spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'],
    ],
    [
      'volumes that are no more',
      { volumes: [{ name: 'v', glusterfs: { endpoints: 'e', path: 'p' } }] },
      ['spec.volumes[0].glusterfs: deprecated in v1.25, non-functional in v1.26+'],
    ],
    [
      'files that take the place of others',
      {
        volumes: [{ name: 'v', secret: { secretName: 's', items: [{ path: 'a/' }, { path: 'a/b' }, { path: 'ab' }] } }],
      },
      ['volume "v" (Secret "s"): overlapping paths: "a/b" with "a"'],
    ],
    [
      'variables that hide others',
      {
        containers: [{ ...container, env: [{ name: 'A' }, { name: 'A', value: '$(A)b' }, { name: 'A', value: 'c' }] }],
      },
      ['spec.containers[0].env[2]: hides previous definition of "A", which may be dropped when using apply'],
    ],
    [
      'ports of several containers',
      {
        containers: [
          { ...container, ports: [{ containerPort: 80, protocol: 'TCP', name: 'a', hostPort: 81 }] },
          { ...container, ports: [{ containerPort: 80, protocol: 'TCP', name: 'a' }] },
        ],
      },
      [
        'spec.containers[1].ports[0]: overlapping port definition with spec.containers[0].ports[0]',
        'spec.containers[1].ports[0]: duplicate port name "a" with spec.containers[0].ports[0], services and probes that select ports by name will use spec.containers[0].ports[0]',
      ],
    ],
  ])('should tell of %s', (_name, spec, expected) => {
    expect(warnOfPod({ spec: { containers: [container], ...spec } }, '')).toEqual(expected);
  });

  it('should name the template', () => {
    const warnings = warnOfPod({ spec: { overhead: { memory: '100m' } } }, 'spec.template.');
    expect(warnings).toEqual([
      'spec.template.spec.overhead[memory]: fractional byte value "100m" is invalid, must be an integer',
    ]);
  });
});
