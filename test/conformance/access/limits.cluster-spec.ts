import { startTestCluster } from '../../support/cluster.access.js';
import { describeLimits } from './limits.suite.js';

describeLimits('limits of a real control plane', () => startTestCluster());
