module annals.test/collector

go 1.25.0

require (
	github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter v0.165.0
	github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage v0.165.0
	github.com/open-telemetry/opentelemetry-collector-contrib/receiver/filelogreceiver v0.165.0
	github.com/open-telemetry/opentelemetry-collector-contrib/receiver/syslogreceiver v0.165.0
	go.opentelemetry.io/collector/confmap/provider/envprovider v1.71.0
	go.opentelemetry.io/collector/confmap/provider/fileprovider v1.71.0
	go.opentelemetry.io/collector/exporter/otlphttpexporter v0.165.0
	go.opentelemetry.io/collector/otelcol v0.165.0
	go.opentelemetry.io/collector/receiver/otlpreceiver v0.165.0
)
