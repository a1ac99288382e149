import { startTestCluster } from '../../support/clusters/cluster.access.js';
import { describeConnections } from './connections.suite.js';

describeConnections('connections with a real control plane', () => startTestCluster({ controllers: false }));
