import { startEmbeddedCluster } from '../test.cluster.js';
import { describeLostAnswers } from './lost-answers.suite.js';

describeLostAnswers('a client whose answers are lost, on embedded-kube', startEmbeddedCluster);
