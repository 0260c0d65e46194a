module github.com/OWNER/annals/packages/sdk-go

go 1.24
