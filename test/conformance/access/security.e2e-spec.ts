import { startEmbeddedCluster } from '../test.cluster.js';
import { describeSecurity } from './security.suite.js';

describeSecurity('pod security of embedded-kube', () => startEmbeddedCluster());
