import { startEmbeddedCluster } from '../test.cluster.js';
import { describeBehaviour } from './behaviour.suite.js';

describeBehaviour('embedded-kube', startEmbeddedCluster);
