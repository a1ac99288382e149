import { startTestCluster } from '../../support/clusters/cluster.access.js';
import { describeBehaviour } from './behaviour.suite.js';

describeBehaviour('a real control plane', () => startTestCluster());
