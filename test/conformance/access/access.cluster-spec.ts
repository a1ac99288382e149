import { startTestCluster } from '../../support/clusters/cluster.access.js';
import { describeAccess } from './access.suite.js';

describeAccess('access to a real control plane', () => startTestCluster());
