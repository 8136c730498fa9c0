// Asks brokers for Metadata by kafkajs: ADDRESSES SECONDS [settings in JSON].
const { Kafka, logLevel } = require('kafkajs')

async function main() {
  const [addresses, seconds, settings] = process.argv.slice(2)
  const kafka = new Kafka({
    clientId: 'kafkajs',
    brokers: addresses.split(','),
    logLevel: logLevel.NOTHING,
    connectionTimeout: seconds * 1000,
    authenticationTimeout: seconds * 1000,
    requestTimeout: seconds * 1000,
    retry: { retries: 0 },
    ...JSON.parse(settings || '{}'),
  })
  const admin = kafka.admin()
  await admin.connect()
  const { brokers } = await admin.describeCluster()
  const topics = await admin.listTopics()
  await admin.disconnect()
  console.log(JSON.stringify({ brokers: brokers.length, topics: topics.sort() }))
}

setTimeout(() => { console.error('too late'); process.exit(1) }, process.argv[3] * 1000)
main().then(() => process.exit(0), error => { console.error(String(error)); process.exit(1) })
