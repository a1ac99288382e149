import type { TestCluster } from '../test.cluster.js';
import { ApiConversation } from './api.conversation.js';
import { describeApplyMigration } from './apply-migration.suite.js';
import { describeBodies } from './bodies.suite.js';
import { describeClusterObjects } from './cluster-objects.suite.js';
import { describeDeletion } from './deletion.suite.js';
import { describeReading } from './reading.suite.js';
import { describeSockets } from './sockets.suite.js';
import { describeStreams } from './streams.suite.js';
import { describeVersions } from './versions.suite.js';
import { describeWriting } from './writing.suite.js';
import { describeQueries } from './queries.suite.js';

/** Declares the tests of what clients see of an API server, request by request. */
export function describeBehaviour(title: string, startCluster: () => Promise<TestCluster>): void {
  describe(title, () => {
    let api: ApiConversation;

    beforeAll(async () => {
      api = await ApiConversation.start(startCluster);
    }, 120_000);

    afterAll(() => api?.stop());

    describeQueries(() => api);
    describeBodies(() => api);
    describeApplyMigration(() => api);
    describeReading(() => api);
    describeWriting(() => api);
    describeVersions(() => api);
    describeStreams(() => api);
    describeSockets(() => api);
    describeDeletion(() => api);
    describeClusterObjects(() => api);
  });
}
