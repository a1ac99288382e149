import { startEmbeddedCluster } from '../test.cluster.js';
import { describeConnections } from './connections.suite.js';

describeConnections('connections with embedded-kube', () => startEmbeddedCluster());
