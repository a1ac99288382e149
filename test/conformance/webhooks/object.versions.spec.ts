import { ObjectVersions } from './object.versions.js';
import type { ReceivedReview } from './webhook.server.js';

function reviewOf(resourceVersion?: string): ReceivedReview {
  const oldObject = resourceVersion === undefined ? null : { metadata: { uid: '1', resourceVersion } };
  return { path: '/', query: '', headers: {}, review: { request: { oldObject } } };
}

describe('ObjectVersions', () => {
  it('should leave out reviews of a state that another review has shown to be outdated', () => {
    const [old, recent] = [reviewOf('9'), reviewOf('10')];
    expect(new ObjectVersions().withoutOutdated([old, recent, recent])).toEqual([recent, recent]);
  });

  it('should leave out reviews of a state that an answer has shown to be outdated, even if no other review follows', () => {
    const versions = new ObjectVersions();
    versions.add({ metadata: { uid: '1', resourceVersion: '10' } });
    versions.add({ kind: 'Status', metadata: {} });
    versions.add('not an object');
    expect(versions.withoutOutdated([reviewOf('9')])).toEqual([]);
    expect(versions.withoutOutdated([reviewOf('10')])).toHaveLength(1);
  });

  it('should keep reviews of creations, and of objects that no answer has shown', () => {
    const versions = new ObjectVersions();
    versions.add({ metadata: { uid: '2', resourceVersion: '10' } });
    expect(versions.withoutOutdated([reviewOf(), reviewOf('9')])).toHaveLength(2);
  });
});
