import { startTestCluster } from '../../support/clusters/cluster.access.js';
import { describeSecurity } from './security.suite.js';

describeSecurity('pod security of a real control plane', () => startTestCluster());
