import { makeResource } from '../../../../test/support/objects/resources.js';
import { type Resource, resourceKey } from './resources.js';
import { resolveSelectors } from './resource-selector.js';
import { EVERYTHING } from './resource-criteria.js';
import { parseSelector } from './selectors.js';

const pods = resource('', 'v1', 'pods', { kind: 'Pod', singular: 'pod', shortNames: ['po'], categories: ['all'] });
const podMetrics = resource('metrics.k8s.io', 'v1', 'pods', { kind: 'PodMetrics' });
const deployments = resource('apps', 'v1', 'deployments', { kind: 'Deployment', categories: ['all'] });
const oldDeployments = resource('apps', 'v1beta1', 'deployments', { kind: 'Deployment', preferred: false });
const jobs = resource('batch', 'v1', 'jobs', { kind: 'Job' });
const otherJobs = resource('other.io', 'v1', 'jobs', { kind: 'Job' });
const events = resource('', 'v1', 'events', { kind: 'Event' });
const newEvents = resource('events.k8s.io', 'v1', 'events', { kind: 'Event' });
const ownEvents = resource('kopf.dev', 'v1', 'events', { kind: 'Event' });
const all = [podMetrics, pods, deployments, oldDeployments, jobs, otherJobs, events, newEvents, ownEvents];

describe('ResourceSelector', () => {
  it.each<[unknown[], Resource[]]>([
    [['pods'], [pods]],
    [['Pod'], [pods]],
    [['pod'], [pods]],
    [['po'], [pods]],
    [['PodMetrics'], [podMetrics]],
    [['pods.metrics.k8s.io'], [podMetrics]],
    [['pods.v1'], [pods]],
    [['v1', 'pods'], [pods]],
    [['deployments'], [deployments]],
    [['deployments.v1beta1.apps'], [oldDeployments]],
    [['apps/v1', 'deployments'], [deployments]],
    [['apps', 'v2', 'deployments'], []],
    [['jobs'], [jobs, otherJobs]],
    [[{ kind: 'Deployment' }], [deployments]],
    [[{ plural: 'pods' }], [pods]],
    [[{ singular: 'pod' }], [pods]],
    [[{ shortcut: 'po' }], [pods]],
    [[{ category: 'all' }], [pods, deployments]],
    [['events'], [events]],
    [[EVERYTHING], [podMetrics, pods, deployments, jobs, otherJobs, ownEvents]],
    [['apps', EVERYTHING], [deployments]],
    [
      ['*', '*', '*'],
      [podMetrics, pods, deployments, jobs, otherJobs, ownEvents],
    ],
    [
      ['*.io', '*', '*'],
      [podMetrics, otherJobs],
    ],
    [['*.*.io'], [podMetrics, otherJobs]],
    [['*.kopf.dev'], [ownEvents]],
    [
      ['*', 'job*'],
      [jobs, otherJobs],
    ],
    [['?o*'], [podMetrics, pods, jobs, otherJobs]],
    [['apps', 'v1*', 'deployments'], [deployments]],
    [[{ kind: 'Pod*' }], [podMetrics, pods]],
    [[{ group: '[!a]*', plural: '[ej]*' }], [jobs, otherJobs, ownEvents]],
    [
      [({ group }: Resource): boolean => group !== 'batch'],
      [podMetrics, pods, deployments, oldDeployments, otherJobs, ownEvents],
    ],
  ])('should select by %j', (args, expected) => {
    expect(parseSelector(args).select(all)).toEqual(expected);
  });

  it('should tell an ambiguity only where one certain resource is meant', () => {
    const ambiguous = (...args: unknown[]): boolean => {
      const selector = parseSelector(args);
      return selector.isAmbiguous(selector.select(all));
    };

    expect(ambiguous('jobs')).toBe(true);
    expect(ambiguous({ kind: 'Job' })).toBe(true);
    expect(ambiguous('pods')).toBe(false);
    expect(ambiguous('job*')).toBe(false);
    expect(ambiguous('*', 'jobs')).toBe(false);
    expect(ambiguous({ category: 'all' })).toBe(false);
    expect(ambiguous(EVERYTHING)).toBe(false);
    expect(ambiguous(() => true)).toBe(false);
  });

  it('should not ask a predicate about events', () => {
    expect(parseSelector([(): boolean => true]).check(events)).toBe(false);
  });
});

function resource(group: string, version: string, plural: string, rest: Partial<Resource>): Resource {
  return makeResource({ group, version, plural, kind: plural, singular: '', ...rest });
}

describe('resource selection', () => {
  const AVAILABLE = [resource('', 'pods'), resource('batch', 'jobs'), resource('other.io', 'jobs')];

  const ABSENT = 'is not served: the cluster has no such resource; it will be, once it is created.';
  const AMBIGUOUS = 'is not served: it can be any of jobs.v1.batch, jobs.v1.other.io; add the group to say which.';

  interface Row {
    readonly title: string;
    readonly selectors: readonly unknown[][];
    readonly resources?: readonly string[];
    readonly unresolved?: readonly string[];
    readonly warnings?: readonly string[];
  }

  describe('resolveSelectors', () => {
    it.each<Row>([
      { title: 'select nothing without selectors', selectors: [] },
      { title: 'select what is found', selectors: [['pods']], resources: ['pods.v1'] },
      { title: 'select everything once', selectors: [['pods'], ['po'], [EVERYTHING]], resources: allKeys() },
      {
        title: 'name what the cluster does not have',
        selectors: [['nodes'], ['pods']],
        resources: ['pods.v1'],
        unresolved: ['nodes'],
        warnings: [`nodes ${ABSENT}`],
      },
      { title: 'not choose among groups', selectors: [['jobs']], warnings: [`jobs ${AMBIGUOUS}`] },
      { title: 'not choose by kind', selectors: [[{ kind: 'jobs' }]], warnings: [`kind=jobs ${AMBIGUOUS}`] },
      {
        title: 'select all of a group, whatever else is ambiguous',
        selectors: [['jobs'], ['jobs.batch']],
        resources: ['jobs.v1.batch'],
        warnings: [`jobs ${AMBIGUOUS}`],
      },
      {
        title: 'select several where several may be meant',
        selectors: [[({ group }: Resource): boolean => group !== '']],
        resources: ['jobs.v1.batch', 'jobs.v1.other.io'],
      },
    ])('should $title', ({ selectors, resources = [], unresolved = [], warnings = [] }) => {
      const selection = resolveSelectors(selectors.map(parseSelector), AVAILABLE, 'served');

      expect(selection.resources.map(resourceKey)).toEqual(resources);
      expect(selection.unresolved.map(String)).toEqual(unresolved);
      expect(selection.warnings).toEqual(warnings);
    });

    it('should say what the resources were selected for', () => {
      const { warnings } = resolveSelectors([parseSelector(['jobs']), parseSelector(['nodes'])], AVAILABLE, 'admitted');

      expect(warnings).toEqual([
        expect.stringMatching(/^jobs is not admitted: /),
        expect.stringMatching(/^nodes is not admitted: /),
      ]);
    });
  });

  function allKeys(): readonly string[] {
    return AVAILABLE.map(resourceKey);
  }

  function resource(group: string, plural: string): Resource {
    return makeResource({ group, plural, singular: '', kind: plural, shortNames: [plural.slice(0, 2)] });
  }
});
