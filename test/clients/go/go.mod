module annals.test/driver

go 1.24

require github.com/OWNER/annals/packages/sdk-go v0.0.0

replace github.com/OWNER/annals/packages/sdk-go => ../../../packages/sdk-go
