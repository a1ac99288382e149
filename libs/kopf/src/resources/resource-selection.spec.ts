import { makeResource } from '../../../../test/support/resources.js';
import { EVERYTHING } from './everything.enum.js';
import type { Resource } from './resource.interface.js';
import { resolveSelectors } from './resource-selection.js';
import { resourceKey } from './resources.js';
import { parseSelector } from './selectors.js';

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
