import { describeLostAnswers } from './lost-answers.suite.js';
import { startTestCluster } from '../../support/clusters/cluster.access.js';

describeLostAnswers('a client whose answers are lost, on a real control plane', () =>
  startTestCluster({ controllers: false }),
);
