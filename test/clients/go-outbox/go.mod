module annals.test/outbox

go 1.24

require (
	github.com/OWNER/annals/packages/sdk-go v0.0.0
	github.com/lib/pq v1.12.3
)

replace github.com/OWNER/annals/packages/sdk-go => ../../../packages/sdk-go
