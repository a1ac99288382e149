import { startTestCluster } from '../../support/cluster.access.js';
import { describeBehaviour } from './behaviour.suite.js';

describeBehaviour('a real control plane', () => startTestCluster());
