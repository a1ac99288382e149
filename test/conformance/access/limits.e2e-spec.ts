import { startEmbeddedCluster } from '../test.cluster.js';
import { describeLimits } from './limits.suite.js';

describeLimits('limits of embedded-kube', () => startEmbeddedCluster());
