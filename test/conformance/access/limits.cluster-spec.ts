import { startTestCluster } from '../../support/clusters/cluster.access.js';
import { describeLimits } from './limits.suite.js';

describeLimits('limits of a real control plane', () => startTestCluster());
